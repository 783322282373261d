use scorel_proto::AttachmentProblem;
use scorel_tools::{ErrorCode, ToolError};

/// Why a file is not attached to a message.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be attached: {reason}")]
pub(crate) struct AttachmentRefusal {
    /// As the caller named it.
    pub(crate) path: String,
    pub(crate) kind: AttachmentProblem,
    pub(crate) reason: String,
    /// The limit that it exceeds.
    pub(crate) limit: Option<u64>,
}

impl AttachmentRefusal {
    pub(crate) fn new(path: &str, kind: AttachmentProblem, reason: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            reason: reason.into(),
            limit: None,
        }
    }

    pub(crate) fn with_limit(self, limit: u64) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }

    /// What the tools found wrong. Their messages are for models, so most have other words here.
    pub(crate) fn of(path: &str, error: ToolError) -> Self {
        let limit = error.details.get("limit").and_then(|limit| limit.as_u64());
        let (kind, reason) = match error.code {
            ErrorCode::NotFound | ErrorCode::NotADirectory => (
                AttachmentProblem::NotFound,
                "there is no such file".to_owned(),
            ),
            ErrorCode::IsDirectory => {
                (AttachmentProblem::Directory, "it is a directory".to_owned())
            }
            ErrorCode::NotAFile => (
                AttachmentProblem::NotAFile,
                "it is a device, pipe or socket".to_owned(),
            ),
            ErrorCode::SandboxViolation => (
                AttachmentProblem::Outside,
                "it is outside of the project".to_owned(),
            ),
            ErrorCode::PermissionNeeded => (
                AttachmentProblem::Denied,
                "permission rules keep it from models".to_owned(),
            ),
            ErrorCode::AccessDenied => (
                AttachmentProblem::Unreadable,
                "permission denied".to_owned(),
            ),
            ErrorCode::ReadLimit => (AttachmentProblem::TooLarge, error.message),
            ErrorCode::Binary => (AttachmentProblem::Binary, error.message),
            ErrorCode::InvalidArguments => (AttachmentProblem::InvalidPath, error.message),
            _ => (AttachmentProblem::Unreadable, error.message),
        };
        Self {
            limit,
            ..Self::new(path, kind, reason)
        }
    }
}
