//! How a tool call fails.

use scorel_runtime::{ArgumentError, ToolOutcome};
use serde_json::{Map, Value};

/// Why a call failed, with what the model and user interfaces are told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct ToolError {
    /// What kind of failure it is.
    pub code: ErrorCode,
    /// One sentence for the model, with what to do instead where that is known.
    pub message: String,
    /// Further facts for user interfaces.
    pub details: Map<String, Value>,
}

impl ToolError {
    /// A failure without further facts.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// Adds a fact for user interfaces.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The tool itself failed, or the system did in a way that no other code tells.
    #[must_use]
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

/// The kinds of failure. Their names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// Nothing is there.
    NotFound,
    /// The operating system denies access.
    AccessDenied,
    /// The path leads outside the roots.
    SandboxViolation,
    /// The file is too large for what was asked.
    ReadLimit,
    /// The content is larger than a tool writes.
    WriteLimit,
    /// The disk or the quota is full.
    NoSpace,
    /// The file may only be changed with a person's permission.
    PermissionNeeded,
    /// The model has not read what it wants to change.
    NotRead,
    /// The file is not any more what the model has read.
    Stale,
    /// The text to replace is not in the file.
    TextNotFound,
    /// The text to replace is in the file more than once.
    Ambiguous,
    /// The arguments do not fit the tool's schema, or mean nothing.
    InvalidArguments,
    /// A directory where a file is needed.
    IsDirectory,
    /// Something else where a directory is needed.
    NotADirectory,
    /// A device, pipe or socket where a file is needed.
    NotAFile,
    /// The file is not UTF-8 text.
    Binary,
    /// The command ended with a code other than 0, or by a signal.
    CommandFailed,
    /// The command could not be started.
    CommandNotStarted,
    /// The command reached its time limit.
    TimedOut,
    /// The command may run in a sandbox only, and the kernel has none.
    NoSandbox,
    /// So many commands run already that no other is started.
    TooMany,
    /// The call was cancelled before it had anything to return.
    Cancelled,
    /// The tool itself failed.
    Internal,
}

impl ErrorCode {
    /// The code's name, as in the `details` of an outcome.
    #[must_use]
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
            Self::TextNotFound => "E_TEXT_NOT_FOUND",
            Self::Ambiguous => "E_AMBIGUOUS",
            Self::InvalidArguments => "E_INVALID_ARGUMENTS",
            Self::IsDirectory => "E_IS_DIRECTORY",
            Self::NotADirectory => "E_NOT_A_DIRECTORY",
            Self::NotAFile => "E_NOT_A_FILE",
            Self::Binary => "E_BINARY",
            Self::CommandFailed => "E_COMMAND_FAILED",
            Self::CommandNotStarted => "E_COMMAND_NOT_STARTED",
            Self::TimedOut => "E_TIMED_OUT",
            Self::NoSandbox => "E_NO_SANDBOX",
            Self::TooMany => "E_TOO_MANY",
            Self::Cancelled => "E_CANCELLED",
            Self::Internal => "E_INTERNAL",
        }
    }
}
