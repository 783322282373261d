use std::io;

use scorel_journal::{
    AppendError, BlobError, CreateError, InvalidRecord, OpenError, ReadError, is_no_space,
    is_out_of_descriptors, is_read_only,
};
use scorel_proto::{
    AgentTaskId, ErrorChain, ErrorCode, EventId, FilePath, PermissionAnswer, PermissionRequestId,
    Phase, QueueItem, SessionId, SpawnRefusal, TurnError,
};

use crate::damage::DamagedRange;
use crate::target_problem::TargetProblem;
use crate::unrecorded_cancel::UnrecordedCancel;

/// The reason why a call on a session failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// The session was deleted too long ago to be brought back. `deleted_at` is in milliseconds since 1970.
    #[error(
        "session {session_id} was deleted, and the trash keeps sessions for a limited time only"
    )]
    Expired {
        session_id: SessionId,
        deleted_at: u64,
    },
    /// The session cannot be changed. Reading its intact records may still work.
    #[error("session {session_id} cannot be used: {reason}")]
    Failed {
        session_id: SessionId,
        reason: String,
    },
    /// The log has damage that no client has accepted.
    #[error("the log of session {session_id} has {} damaged ranges; accept each to continue", places.len())]
    Damaged {
        session_id: SessionId,
        places: Vec<DamagedRange>,
    },
    /// The log cannot be written now; a retry may succeed. The disk is full, for example.
    #[error("the session cannot be written at the moment: {0}")]
    Stalled(String),
    /// Too many files are open; a retry may succeed.
    #[error("no file can be opened at the moment: {0}")]
    OutOfDescriptors(String),
    /// `cancel` with `clearQueue` or `children`: the signal was given, but the log could not be written.
    #[error("{0}")]
    CancelNotRecorded(Box<UnrecordedCancel>),
    #[error("the session is busy: {}", describe(*.phase))]
    Busy {
        phase: Phase,
        /// How many messages are queued.
        queued: usize,
    },
    /// `open` is how many have not ended.
    #[error(
        "{open} of its runtimes have not ended; `children: \"delete\"` stops them, and deletes their sessions too"
    )]
    HasAgentTasks { open: usize },
    #[error("it works for the runtime {0}, which has not ended")]
    WorksFor(AgentTaskId),
    /// `whileRunning: reject` on a paused queue.
    #[error("the queue is paused")]
    QueuePaused,
    /// `limit` is in messages.
    #[error("the queue holds {limit} messages, its limit")]
    QueueFull { limit: usize },
    /// `limit` is in bytes.
    #[error("the queue holds {limit} bytes of messages, its limit")]
    QueueTooLarge { limit: usize },
    /// `expectedVersion` is not the version of the queue.
    #[error("the queue has changed: it is at version {version}")]
    QueueChanged { version: u64, items: Vec<QueueItem> },
    /// The session is not what the caller expects.
    #[error("{0}")]
    Conflict(String),
    /// The permission request has its decision.
    #[error("{} was answered: {}", .0.decision.request_id, .0)]
    Answered(Box<PermissionAnswer>),
    /// The permission request is not open.
    #[error("{0} is not open: it was answered, or its turn has ended")]
    NotAsked(PermissionRequestId),
    /// An archived session is for reading only.
    #[error("the session is archived: restore it to go on")]
    Archived,
    /// The active leaf is not the expected one.
    #[error("the active leaf is not `expectedLeafId`: {}", leaf_name(*.active))]
    LeafMoved { active: Option<EventId> },
    /// An event that cannot be the target of this call; `None` is the empty conversation.
    #[error("{} {problem}", target_name(*.event_id))]
    InvalidTarget {
        event_id: Option<EventId>,
        problem: TargetProblem,
    },
    /// The newest compaction has summarised the target.
    #[error(
        "the target was summarised by a compaction, which covers everything up to {compacted_through}"
    )]
    Summarised { compacted_through: EventId },
    /// `compact` on a conversation that is short as it is.
    #[error("the conversation is too short to be summarised")]
    NothingToCompact,
    /// The session's model or tools cannot be used.
    #[error("{}", .0.message)]
    NotPrepared(TurnError),
    /// Other programs have changed files that were to be restored.
    #[error("{} of the files were changed by something else, {} among them", paths.len(), first(paths))]
    FilesConflict { paths: Vec<FilePath> },
    #[error("{0}")]
    InvalidParams(String),
    /// A record or a blob would exceed `limit` bytes.
    #[error("the content is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("there is no runtime {0}")]
    AgentTaskNotFound(AgentTaskId),
    /// An agent gets no task from this session now. `limit` is the limit that is reached, if there is
    /// one.
    #[error("no agent is given a task: {}", refusal(*kind, *limit))]
    SpawnRefused {
        kind: SpawnRefusal,
        limit: Option<u64>,
    },
    #[error("the daemon is stopping")]
    ShuttingDown,
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

fn refusal(kind: SpawnRefusal, limit: Option<u64>) -> String {
    let text = match kind {
        SpawnRefusal::Disabled => "the agent is disabled",
        SpawnRefusal::Depth => "agents of agents may not go deeper",
        SpawnRefusal::TooMany => "the session, or its turn, has as many runtimes as it may have",
        SpawnRefusal::QueueFull => "as many runtimes wait for the agent as may wait",
        SpawnRefusal::Budget => "the session and its runtimes have cost what they may cost",
        SpawnRefusal::Run => "the run of a workflow has used as much as it may",
        SpawnRefusal::Archived => "the session is archived",
    };
    limit.map_or_else(|| text.to_owned(), |limit| format!("{text} ({limit})"))
}

fn target_name(target: Option<EventId>) -> String {
    target.map_or_else(|| "the empty conversation".to_owned(), |id| id.to_string())
}

fn leaf_name(leaf: Option<EventId>) -> String {
    match leaf {
        Some(id) => format!("it is {id} now"),
        None => "the conversation is empty now".to_owned(),
    }
}

fn first(paths: &[FilePath]) -> &str {
    paths.first().map_or("none", FilePath::as_str)
}

impl SessionError {
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) | Self::Expired { .. } => ErrorCode::SessionNotFound,
            Self::Failed { .. } | Self::Damaged { .. } => ErrorCode::SessionFailed,
            Self::Stalled(_) | Self::CancelNotRecorded(_) => ErrorCode::StorageStalled,
            Self::Busy { .. } | Self::HasAgentTasks { .. } | Self::WorksFor(_) => {
                ErrorCode::AgentTaskBusy
            }
            Self::QueuePaused => ErrorCode::QueuePaused,
            Self::QueueFull { .. } | Self::QueueTooLarge { .. } | Self::OutOfDescriptors(_) => {
                ErrorCode::Overloaded
            }
            Self::Conflict(_)
            | Self::Answered(_)
            | Self::NotAsked(_)
            | Self::Archived
            | Self::QueueChanged { .. }
            | Self::LeafMoved { .. }
            | Self::NothingToCompact
            | Self::FilesConflict { .. } => ErrorCode::Conflict,
            Self::InvalidTarget { .. } => ErrorCode::InvalidEventId,
            Self::Summarised { .. } => ErrorCode::CannotRewindPastCompact,
            Self::NotPrepared(_) => ErrorCode::ProviderError,
            Self::InvalidParams(_) => ErrorCode::InvalidParams,
            Self::TooLarge { .. } => ErrorCode::PayloadTooLarge,
            Self::AgentTaskNotFound(_) => ErrorCode::AgentTaskNotFound,
            Self::SpawnRefused { .. } => ErrorCode::SpawnRefused,
            Self::ShuttingDown => ErrorCode::ShuttingDown,
            Self::Filesystem(_) => ErrorCode::FilesystemError,
            Self::Internal(_) => ErrorCode::InternalError,
        }
    }
}

impl SessionError {
    /// The error of a turn, or of a compaction, that this ends.
    pub(crate) fn turn_error(&self) -> TurnError {
        TurnError {
            code: self.code().name().to_owned(),
            message: self.to_string(),
            retryable: self.code().retryable(),
            hint: None,
            resets_at: None,
            sizes: None,
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
    /// A session's directory cannot be moved, which deletes the session or brings it back.
    pub(crate) fn moving(what: &str, error: &io::Error) -> Self {
        let text = format!("cannot {what} the session: {error}");
        if is_out_of_descriptors(error) {
            Self::OutOfDescriptors(text)
        } else if is_no_space(error) || is_read_only(error) {
            Self::Stalled(text)
        } else {
            Self::Filesystem(text)
        }
    }

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
