//! Errors of calls.
//!
//! Handlers return a [`CallError`]: the error of a part, and what the caller named.
//! Only `rpc_error` turns it into the protocol's [`RpcError`], so the code, message and details of
//! every failure are chosen in one file.

mod rpc_error;

use scorel_config::{EditConfigError, RefusedText};
use scorel_engine::RunnerError;
use scorel_file_finder::DirectoriesError;
use scorel_guidance::trust::TrustError;
use scorel_home::ProjectError;
use scorel_home::receipts::ReceiptError;
use scorel_journal::BlobError;
use scorel_models::ModelCallError;
use scorel_oauth::OAuthError;
use scorel_orchestrator::OrchestratorError;
use scorel_proto::{ProcessState, ProjectId, ProtocolRange, RpcError};
use scorel_runs::RunError;
use scorel_search::SearchError;
use scorel_session::SessionError;
use scorel_transfer::ImportError;
use scorel_workplace::worktrees::WorktreeError;
use tokio::task::JoinError;

use crate::commands::CommandError;
use crate::rpc::attachments::AttachmentRefusal;

/// The result of a method, or why the call failed.
pub(crate) type Reply<T> = Result<T, CallError>;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// From a lane or from the catalogue of sessions.
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Blob(#[from] BlobError),
    #[error(transparent)]
    Receipt(#[from] ReceiptError),
    #[error("there is no project {0}")]
    ProjectNotFound(ProjectId),
    #[error("project {0} still has sessions: delete them first")]
    ProjectHasSessions(ProjectId),
    /// The registry refused; `path` is the caller's, where the call has one.
    #[error("{error}")]
    Project {
        error: ProjectError,
        path: Option<String>,
    },
    /// The user's configuration was not changed.
    #[error(transparent)]
    Configuration(#[from] EditConfigError),
    #[error("{error}")]
    Directories {
        error: DirectoriesError,
        path: Option<String>,
    },
    #[error(transparent)]
    Attachment(#[from] AttachmentRefusal),
    #[error("there is no {kind} `{name}`")]
    UnknownName {
        kind: &'static str,
        name: String,
        suggestion: Option<String>,
    },
    /// An extension's program has no answer.
    #[error("{reason}")]
    Extension { state: ProcessState, reason: String },
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A login to a server has failed.
    #[error(transparent)]
    Login(OAuthError),
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Model(#[from] ModelCallError),
    /// The runner that the caller named cannot be used.
    #[error("{error}")]
    Runner { runner: String, error: RunnerError },
    #[error(transparent)]
    Orchestrator(#[from] OrchestratorError),
    /// A parameter that has the right type and a value that the method refuses. `field` goes to the
    /// error's details, where clients look for it.
    #[error("{reason}")]
    InvalidParams {
        reason: String,
        field: Option<&'static str>,
    },
    #[error(
        "the daemon speaks protocol {} to {}, the client {} to {}: {advice}",
        daemon.min, daemon.max, client.min, client.max
    )]
    ProtocolMismatch {
        daemon: ProtocolRange,
        client: ProtocolRange,
        advice: &'static str,
    },
    /// A defect.
    #[error("{0}")]
    Internal(String),
    /// A part of the call panicked.
    #[error(transparent)]
    Task(#[from] JoinError),
    /// Already in the protocol's terms: from the layer that parses parameters and opens
    /// subscriptions.
    #[error("{0}")]
    Rpc(#[from] RpcError),
}

impl CallError {
    /// A parameter that the method refuses.
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::InvalidParams {
            reason: reason.into(),
            field: None,
        }
    }

    /// A parameter that the method refuses, named in the details.
    pub(crate) fn invalid_field(field: &'static str, reason: impl Into<String>) -> Self {
        Self::InvalidParams {
            reason: reason.into(),
            field: Some(field),
        }
    }
}

impl From<ProjectError> for CallError {
    fn from(error: ProjectError) -> Self {
        Self::Project { error, path: None }
    }
}

impl From<RunError> for CallError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Session(error) => error.into(),
            RunError::Trust(error) => error.into(),
            error => Self::Rpc(error.into()),
        }
    }
}

impl From<RefusedText> for CallError {
    fn from(text: RefusedText) -> Self {
        Self::invalid_field(text.key.unwrap_or("agentType"), text.reason)
    }
}

impl From<CommandError> for CallError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Trust(error) => error.into(),
            error @ CommandError::Workflow(_) => Self::invalid_field("name", error.to_string()),
            CommandError::Unknown { name, suggestion } => Self::UnknownName {
                kind: "command",
                name,
                suggestion,
            },
        }
    }
}
