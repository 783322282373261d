use scorel_journal::{
    AppendError, BlobError, CreateError, InvalidRecord, OpenError, ReadError, is_out_of_descriptors,
};
use scorel_proto::{ErrorChain, ErrorCode, Phase, SessionId, TurnError};

use crate::damage::DamagedPlace;

/// Why a call on a session failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// The session cannot be changed. Reading its intact records may still work.
    #[error("session {session_id} cannot be used: {reason}")]
    Failed {
        session_id: SessionId,
        reason: String,
    },
    /// The log has damage that no client has accepted.
    #[error("the log of session {session_id} is damaged at {} places; accept each to go on", places.len())]
    Damaged {
        session_id: SessionId,
        places: Vec<DamagedPlace>,
    },
    /// The log cannot be written now; a retry may succeed. The disk is full, for example.
    #[error("the session cannot be written at the moment: {0}")]
    Stalled(String),
    /// Too many files are open; a retry may succeed.
    #[error("no file can be opened at the moment: {0}")]
    OutOfDescriptors(String),
    /// `cancel` with `clearQueue`: the signal was given, but the log could not be written, so the
    /// queue is as it was.
    #[error("the queue could not be cleared: {reason}")]
    QueueNotCleared {
        /// Whether a turn took the signal.
        cancelled: bool,
        reason: String,
    },
    #[error("the session is busy: {}", describe(*.0))]
    Busy(Phase),
    /// `whileRunning: reject` on a paused queue.
    #[error("the queue is paused")]
    QueuePaused,
    /// `limit` is in messages.
    #[error("the queue holds {limit} messages, its limit")]
    QueueFull { limit: usize },
    /// `limit` is in bytes.
    #[error("the queue holds {limit} bytes of messages, its limit")]
    QueueTooLarge { limit: usize },
    /// The session is not what the caller expects.
    #[error("{0}")]
    Conflict(String),
    /// `compact` on a conversation that is short as it is.
    #[error("the conversation is too short to be summarised")]
    NothingToCompact,
    /// The session's model or tools cannot be used.
    #[error("{}", .0.message)]
    NotPrepared(TurnError),
    /// An event id that is not possible here.
    #[error("{0}")]
    InvalidEvent(String),
    #[error("{0}")]
    InvalidParams(String),
    /// A record or a blob would exceed `limit` bytes.
    #[error("the content is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the daemon is stopping")]
    ShuttingDown,
    #[error("{0}")]
    Unsupported(String),
    #[error("{0}")]
    Filesystem(String),
    /// A defect.
    #[error("internal error: {0}")]
    Internal(String),
}

const fn describe(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "messages are queued",
        Phase::Preparing => "a turn is about to run, or the conversation is being summarised",
        Phase::Running => "a turn is running",
        Phase::AwaitingPermission => "a turn waits for permission",
        Phase::Waiting => "a turn is waiting",
        Phase::Cancelling => "a turn is being cancelled",
        Phase::Failed => "it has failed",
    }
}

impl SessionError {
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::SessionNotFound,
            Self::Failed { .. } | Self::Damaged { .. } => ErrorCode::SessionFailed,
            Self::Stalled(_) | Self::QueueNotCleared { .. } => ErrorCode::StorageStalled,
            Self::Busy(_) => ErrorCode::RuntimeBusy,
            Self::QueuePaused => ErrorCode::QueuePaused,
            Self::QueueFull { .. } | Self::QueueTooLarge { .. } | Self::OutOfDescriptors(_) => {
                ErrorCode::Overloaded
            }
            Self::Conflict(_) | Self::NothingToCompact => ErrorCode::Conflict,
            Self::NotPrepared(_) => ErrorCode::ProviderError,
            Self::InvalidEvent(_) => ErrorCode::InvalidEventId,
            Self::InvalidParams(_) => ErrorCode::InvalidParams,
            Self::TooLarge { .. } => ErrorCode::PayloadTooLarge,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
            Self::Unsupported(_) => ErrorCode::Unsupported,
            Self::Filesystem(_) => ErrorCode::FilesystemError,
            Self::Internal(_) => ErrorCode::InternalError,
        }
    }
}

impl From<AppendError> for SessionError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::NoSpace(_) | AppendError::Write(_) => {
                Self::Stalled(ErrorChain(&error).to_string())
            }
            AppendError::Invalid(InvalidRecord::TooLarge { .. }) => Self::TooLarge {
                limit: scorel_journal::MAX_RECORD as u64,
            },
            other => Self::Internal(ErrorChain(&other).to_string()),
        }
    }
}

impl From<ReadError> for SessionError {
    fn from(error: ReadError) -> Self {
        Self::Filesystem(ErrorChain(&error).to_string())
    }
}

impl From<BlobError> for SessionError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::TooLarge { max, .. } => Self::TooLarge { limit: max },
            BlobError::NoSpace(_) | BlobError::ReadOnly(_) => {
                Self::Stalled(ErrorChain(&error).to_string())
            }
            // The record that names the blob waits like one for which there is no space.
            BlobError::Io(ref source) if is_out_of_descriptors(source) => {
                Self::Stalled(ErrorChain(&error).to_string())
            }
            error => Self::Filesystem(ErrorChain(&error).to_string()),
        }
    }
}

impl From<CreateError> for SessionError {
    fn from(error: CreateError) -> Self {
        let reason = ErrorChain(&error).to_string();
        if error.is_out_of_descriptors() {
            Self::OutOfDescriptors(reason)
        } else {
            Self::Stalled(reason)
        }
    }
}

impl SessionError {
    /// The error of a log that could not be opened.
    pub(crate) fn open(session_id: SessionId, error: &OpenError) -> Self {
        if error.is_not_found() {
            Self::NotFound(session_id)
        } else if error.is_out_of_descriptors() {
            Self::OutOfDescriptors(ErrorChain(error).to_string())
        } else {
            Self::Failed {
                session_id,
                reason: ErrorChain(error).to_string(),
            }
        }
    }
}
