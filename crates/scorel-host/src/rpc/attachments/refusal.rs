use scorel_proto::AttachmentProblem;
use scorel_tools::{ErrorCode, ToolError};

/// The reason why a file is not attached to a message.
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
    pub(crate) fn of(path: &str, error: &ToolError) -> Self {
        let limit = error.details.get("limit").and_then(|limit| limit.as_u64());
        let message = error.message.as_str();
        let (kind, reason) = match error.code {
            ErrorCode::NotFound | ErrorCode::NotADirectory => {
                (AttachmentProblem::NotFound, "there is no such file")
            }
            ErrorCode::IsDirectory => (AttachmentProblem::Directory, "it is a directory"),
            ErrorCode::NotAFile => (
                AttachmentProblem::NotAFile,
                "it is a device, pipe or socket",
            ),
            ErrorCode::SandboxViolation => {
                (AttachmentProblem::Outside, "it is outside of the project")
            }
            ErrorCode::PermissionNeeded => {
                let text = "permission rules keep it from models";
                (AttachmentProblem::Denied, text)
            }
            ErrorCode::AccessDenied => (AttachmentProblem::Unreadable, "permission denied"),
            ErrorCode::ReadLimit => (AttachmentProblem::TooLarge, message),
            ErrorCode::Binary => (AttachmentProblem::Binary, message),
            ErrorCode::InvalidArguments => (AttachmentProblem::InvalidPath, message),
            _ => (AttachmentProblem::Unreadable, message),
        };
        Self {
            limit,
            ..Self::new(path, kind, reason)
        }
    }
}
