//! Errors of the tools in this crate.

use scorel_engine::{ArgumentError, ToolOutcome};
use serde_json::{Map, Value};

/// The reason why a call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct ToolError {
    pub code: ErrorCode,
    /// For the model, with what to do instead where that is known.
    pub message: String,
    /// For user interfaces.
    pub details: Map<String, Value>,
}

impl ToolError {
    /// An error without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// Adds a field to the details.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// An unexpected failure of the tool or the system.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArguments, message)
    }
}

impl From<ToolError> for ToolOutcome {
    fn from(error: ToolError) -> Self {
        Self::failure(error.code.as_str(), &error.message, error.details)
    }
}

impl From<ArgumentError> for ToolError {
    fn from(error: ArgumentError) -> Self {
        let invalid = Self::invalid(error.message);
        match error.field {
            Some(field) => invalid.with("field", field),
            None => invalid,
        }
    }
}

/// Error codes. Their names are stable: clients and transcripts hold them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The path does not exist.
    NotFound,
    /// The operating system denies access.
    AccessDenied,
    /// The path leads outside the roots.
    SandboxViolation,
    /// The file is too large for the request.
    ReadLimit,
    /// The content is larger than a tool writes.
    WriteLimit,
    /// The disk or the quota is full.
    NoSpace,
    /// The call's permit does not cover the file.
    PermissionNeeded,
    /// The model has not read the part it wants to change.
    NotRead,
    /// The file has changed since the model read it.
    Stale,
    /// The content is not the one that the call has named.
    PreconditionFailed,
    /// The head of a run's document is not data.
    InvalidFrontmatter,
    /// A value of a run's document is not of its format.
    SchemaValidation,
    /// The workflow has no such way from the run's node.
    InvalidTransition,
    /// The text to replace is not in the file.
    TextNotFound,
    /// The text to replace is in the file more than once.
    Ambiguous,
    /// The arguments do not match the schema, or contradict each other.
    InvalidArguments,
    /// A directory where a file is needed.
    IsDirectory,
    /// Something else where a directory is needed.
    NotADirectory,
    /// A device, pipe or socket where a file is needed.
    NotAFile,
    /// The file is not text.
    Binary,
    /// The file needs a password.
    Encrypted,
    /// The document has pictures only.
    NoText,
    /// The file's encoding does not have a character.
    Encoding,
    /// The command ended with a code other than 0, or by a signal.
    CommandFailed,
    /// The command could not be started.
    CommandNotStarted,
    /// The command reached its time limit.
    TimedOut,
    /// The command reached a limit of what it may use.
    LimitReached,
    /// The command may have left processes or changes, since its supervisor failed.
    SupervisionFailed,
    /// The command requires a sandbox, which the kernel does not support.
    NoSandbox,
    /// Too many commands run already.
    TooMany,
    /// The call was cancelled before it had a result.
    Cancelled,
    /// The tool itself failed.
    Internal,
}

impl ErrorCode {
    /// The name in the `details` of an outcome.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "ENOENT",
            Self::AccessDenied => "EACCES",
            Self::SandboxViolation => "E_SANDBOX_VIOLATION",
            Self::ReadLimit => "E_READ_LIMIT",
            Self::WriteLimit => "E_WRITE_LIMIT",
            Self::NoSpace => "ENOSPC",
            Self::PermissionNeeded => "E_PERMISSION_NEEDED",
            Self::NotRead => "E_NOT_READ",
            Self::Stale => "E_STALE",
            Self::PreconditionFailed => "E_PRECONDITION_FAILED",
            Self::InvalidFrontmatter => "E_INVALID_FRONTMATTER",
            Self::SchemaValidation => "E_SCHEMA_VALIDATION",
            Self::InvalidTransition => "E_INVALID_TRANSITION",
            Self::TextNotFound => "E_TEXT_NOT_FOUND",
            Self::Ambiguous => "E_AMBIGUOUS",
            Self::InvalidArguments => "E_INVALID_ARGUMENTS",
            Self::IsDirectory => "E_IS_DIRECTORY",
            Self::NotADirectory => "E_NOT_A_DIRECTORY",
            Self::NotAFile => "E_NOT_A_FILE",
            Self::Binary => "E_BINARY",
            Self::Encrypted => "E_ENCRYPTED",
            Self::NoText => "E_NO_TEXT",
            Self::Encoding => "E_ENCODING",
            Self::CommandFailed => "E_COMMAND_FAILED",
            Self::CommandNotStarted => "E_COMMAND_NOT_STARTED",
            Self::TimedOut => "E_TIMED_OUT",
            Self::LimitReached => "E_LIMIT_REACHED",
            Self::SupervisionFailed => "E_SUPERVISION_FAILED",
            Self::NoSandbox => "E_NO_SANDBOX",
            Self::TooMany => "E_TOO_MANY",
            Self::Cancelled => "E_CANCELLED",
            Self::Internal => "E_INTERNAL",
        }
    }
}
