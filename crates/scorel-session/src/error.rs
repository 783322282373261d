use scorel_journal::{AppendError, BlobError, InvalidRecord, OpenError, ReadError};
use scorel_proto::{ErrorCode, Phase, RpcError, SessionId};
use serde_json::json;

use crate::damage::DamagedPlace;

/// Why something could not be done with a session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session.
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// The session cannot be used; reading what is intact may still work.
    #[error("session {session_id} cannot be used: {reason}")]
    Failed {
        /// The session.
        session_id: SessionId,
        /// Why.
        reason: String,
    },
    /// The log is damaged, and nobody has accepted that yet.
    #[error("the log of session {session_id} is damaged at {} places; accept each to go on", places.len())]
    Damaged {
        /// The session.
        session_id: SessionId,
        /// The damaged places.
        places: Vec<DamagedPlace>,
    },
    /// The log cannot be written at the moment.
    #[error("the session cannot be written at the moment: {0}")]
    Stalled(String),
    /// `cancel` with `clearQueue`: the signal was given, but the log could not be written, so the
    /// queue is as it was.
    #[error("the queue could not be cleared: {reason}")]
    QueueNotCleared {
        /// Whether a turn took the signal.
        cancelled: bool,
        reason: String,
    },
    /// A turn is open.
    #[error("the session is busy: {}", describe(*.0))]
    Busy(Phase),
    /// The queue is paused, and the caller asked not to be queued.
    #[error("the queue is paused")]
    QueuePaused,
    /// The queue is full.
    #[error("the queue holds {limit} messages, its limit")]
    QueueFull {
        /// How many messages it may hold.
        limit: usize,
    },
    /// The waiting messages are too large together.
    #[error("the queue holds {limit} bytes of messages, its limit")]
    QueueTooLarge {
        /// How many bytes it may hold.
        limit: usize,
    },
    /// The state is not what the caller expected.
    #[error("{0}")]
    Conflict(String),
    /// An event cannot be used in this place.
    #[error("{0}")]
    InvalidEvent(String),
    /// The parameters make no sense.
    #[error("{0}")]
    InvalidParams(String),
    /// A record or a blob would be too large.
    #[error("the content is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The daemon is stopping.
    #[error("the daemon is stopping")]
    ShuttingDown,
    /// This version cannot do it.
    #[error("{0}")]
    Unsupported(String),
    /// The file system refused.
    #[error("{0}")]
    Filesystem(String),
    /// Something that should not happen.
    #[error("internal error: {0}")]
    Internal(String),
}

const fn describe(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "messages are queued",
        Phase::Preparing => "a turn is about to run",
        Phase::Running => "a turn is running",
        Phase::AwaitingPermission => "a turn waits for permission",
        Phase::Waiting => "a turn is waiting",
        Phase::Cancelling => "a turn is being cancelled",
        Phase::Failed => "it has failed",
    }
}

impl SessionError {
    /// The code on the wire.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::SessionNotFound,
            Self::Failed { .. } | Self::Damaged { .. } => ErrorCode::SessionFailed,
            Self::Stalled(_) | Self::QueueNotCleared { .. } => ErrorCode::StorageStalled,
            Self::Busy(_) => ErrorCode::RuntimeBusy,
            Self::QueuePaused => ErrorCode::QueuePaused,
            Self::QueueFull { .. } | Self::QueueTooLarge { .. } => ErrorCode::Overloaded,
            Self::Conflict(_) => ErrorCode::Conflict,
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

impl From<SessionError> for RpcError {
    fn from(error: SessionError) -> Self {
        let details = match &error {
            SessionError::NotFound(id) => json!({ "sessionId": id }),
            SessionError::Failed { session_id, reason } => {
                json!({ "sessionId": session_id, "reason": reason })
            }
            SessionError::Damaged { session_id, places } => {
                json!({ "sessionId": session_id, "damage": places })
            }
            SessionError::QueueNotCleared { cancelled, .. } => json!({ "cancelled": cancelled }),
            SessionError::Busy(phase) => json!({ "phase": phase }),
            SessionError::TooLarge { limit } => json!({ "limit": limit }),
            SessionError::QueueFull { limit } | SessionError::QueueTooLarge { limit } => {
                json!({ "limit": limit })
            }
            _ => serde_json::Value::Null,
        };
        Self::new(error.code(), error.to_string()).with_details(details)
    }
}

impl From<AppendError> for SessionError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::NoSpace(_) | AppendError::Write(_) => Self::Stalled(chain(&error)),
            AppendError::Invalid(InvalidRecord::TooLarge { .. }) => Self::TooLarge {
                limit: scorel_journal::MAX_RECORD as u64,
            },
            other => Self::Internal(chain(&other)),
        }
    }
}

impl From<ReadError> for SessionError {
    fn from(error: ReadError) -> Self {
        Self::Filesystem(chain(&error))
    }
}

impl From<BlobError> for SessionError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::TooLarge { max, .. } => Self::TooLarge { limit: max },
            BlobError::NoSpace(_) => Self::Stalled(chain(&error)),
            error => Self::Filesystem(chain(&error)),
        }
    }
}

impl SessionError {
    /// The log of a session could not be opened.
    pub(crate) fn open(session_id: SessionId, error: &OpenError) -> Self {
        if error.is_not_found() {
            Self::NotFound(session_id)
        } else {
            Self::Failed {
                session_id,
                reason: chain(error),
            }
        }
    }
}

/// An error with the errors that caused it, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
