use std::io;
use std::path::{Path, PathBuf};

use scorel_guidance::trust::TrustError;
use scorel_home::StateError;
use scorel_proto::{ErrorChain, ErrorCode, ProjectId, RpcError, RunId};
use scorel_session::SessionError;
use scorel_workflow::Problem;
use scorel_workplace::worktrees::WorktreeError;
use serde_json::json;

use crate::invalid_state::InvalidState;

/// The reason why a command about a run, or a turn of one, is refused.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("there is no workflow `{name}`{}", because(.reason.as_deref()))]
    WorkflowNotFound {
        name: String,
        suggestion: Option<String>,
        /// Why one that is there cannot be used.
        reason: Option<String>,
    },
    #[error("{name} {}", describe(.problems))]
    WorkflowInvalid {
        name: String,
        problems: Vec<Problem>,
    },
    #[error("there is no run {0}")]
    NotFound(RunId),
    #[error("there is no project {0}")]
    ProjectNotFound(ProjectId),
    #[error("{0}")]
    StateInvalid(InvalidState),
    /// The copy of the package is gone, or is not what it was.
    #[error("the copy of the run's package cannot be used: {reason}")]
    PackageMissing { digest: String, reason: String },
    #[error("the plan of this workflow is not the one that was shown; look at it again")]
    OtherPlan { digest: String },
    #[error("the package that is installed lacks nodes of the run: {}", .0.join(", "))]
    MissingNodes(Vec<String>),
    #[error("the package that is installed is another: its digest is {0}")]
    OtherPackage(String),
    /// A person or a call has saved it while the command was at work.
    #[error("the run's document has changed meanwhile; look at the run again")]
    DocumentChanged,
    /// A turn of it runs, or an agent, in another state than the command needs.
    #[error("a turn of the run is open, or an agent of it works: cancel or stop that first")]
    Running,
    /// An end of it is completed: there is no node to go on from.
    #[error("the run has ended; start another one, or send a message to its session")]
    Ended,
    #[error("{reason}")]
    Invalid { field: &'static str, reason: String },
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// There can be no git worktree.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    #[error(transparent)]
    File(#[from] StateError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} cannot be read as a package: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// A defect.
    #[error("{0}")]
    Internal(String),
}

fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {reason}"))
}

fn describe(problems: &[Problem]) -> String {
    match problems {
        [] => "cannot be read".to_owned(),
        [one] => format!("has a problem: {one}"),
        [first, ..] => format!("has {} problems, the first: {first}", problems.len()),
    }
}

impl RunError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid {
            field,
            reason: reason.into(),
        }
    }

    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::WorkflowNotFound { .. } => ErrorCode::WorkflowNotFound,
            Self::WorkflowInvalid { .. } => ErrorCode::WorkflowInvalid,
            Self::NotFound(_) => ErrorCode::RunNotFound,
            Self::ProjectNotFound(_) => ErrorCode::ProjectNotFound,
            Self::StateInvalid(_) => ErrorCode::StateInvalid,
            Self::PackageMissing { .. } => ErrorCode::PackageMissing,
            Self::OtherPlan { .. }
            | Self::MissingNodes(_)
            | Self::OtherPackage(_)
            | Self::DocumentChanged
            | Self::Running
            | Self::Ended => ErrorCode::Conflict,
            Self::Invalid { .. } => ErrorCode::InvalidParams,
            Self::Session(error) => error.code(),
            Self::Worktree(WorktreeError::NoSpace(_)) => ErrorCode::StorageStalled,
            Self::Trust(_)
            | Self::Worktree(_)
            | Self::File(_)
            | Self::Io { .. }
            | Self::Unreadable { .. } => ErrorCode::FilesystemError,
            Self::Internal(_) => ErrorCode::InternalError,
        }
    }
}

impl From<RunError> for RpcError {
    fn from(error: RunError) -> Self {
        let details = match &error {
            RunError::WorkflowNotFound {
                name, suggestion, ..
            } => json!({ "workflow": name, "suggestion": suggestion }),
            RunError::WorkflowInvalid { problems, .. } => json!({ "problems": problems }),
            RunError::NotFound(id) => json!({ "runId": id }),
            RunError::ProjectNotFound(id) => json!({ "projectId": id }),
            RunError::StateInvalid(invalid) => invalid.details(),
            RunError::PackageMissing { digest, .. } => json!({ "digest": digest }),
            RunError::OtherPlan { digest } => json!({ "kind": "plan", "digest": digest }),
            RunError::MissingNodes(missing) => json!({ "kind": "nodes", "missing": missing }),
            RunError::OtherPackage(digest) => json!({ "kind": "package", "digest": digest }),
            RunError::DocumentChanged => json!({ "kind": "document" }),
            RunError::Running => json!({ "kind": "running" }),
            RunError::Ended => json!({ "kind": "ended" }),
            RunError::Invalid { field, .. } => json!({ "field": field }),
            RunError::Io { path, .. } | RunError::Unreadable { path, .. } => {
                json!({ "path": path })
            }
            _ => serde_json::Value::Null,
        };
        Self::new(error.code(), ErrorChain(&error).to_string()).with_details(details)
    }
}
