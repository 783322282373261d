use std::io;
use std::path::PathBuf;

use scorel_proto::SessionId;

/// The reason why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the query is longer than {limit} bytes")]
    QueryTooLong { limit: usize },
    #[error("the query has more than {limit} words")]
    TooManyWords { limit: usize },
    /// `offset` and `length` are where in the expression, in bytes.
    #[error("the regular expression is invalid at byte {offset}: {reason}")]
    InvalidPattern {
        reason: String,
        offset: usize,
        length: usize,
    },
    #[error("the regular expression is too large: compiled, it may have {limit} bytes")]
    PatternTooLarge { limit: usize },
    #[error("`cursor` is not one of search with this mode")]
    InvalidCursor,
    /// There is no index, and none can be made.
    #[error("the search index cannot be used: {0}")]
    Unavailable(String),
}

/// The reason why the index was not brought up to date.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    #[error("cannot access the file")]
    File(#[from] io::Error),
    #[error("{} is not a regular file; move it away", path.display())]
    NotRegular { path: PathBuf },
    /// The index was made by another version.
    #[error("the index has format {found}")]
    OtherFormat { found: i64 },
    /// One log cannot be read. The others can.
    #[error("cannot read the log of session {session_id}: {reason}")]
    Log {
        session_id: SessionId,
        reason: String,
    },
}

impl IndexError {
    /// Returns whether the file itself is the problem, so that only a new one helps.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Database(error) => is_damage(error),
            Self::OtherFormat { .. } => true,
            Self::File(_) | Self::NotRegular { .. } | Self::Log { .. } => false,
        }
    }
}

/// Passing errors, such as a full disk, are not damage. All others are, a missing table included: they say that
/// the content is not as it was written.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed,
        OperationInterrupted, OutOfMemory, PermissionDenied, ReadOnly, SystemIoFailure,
    };
    let passes = matches!(
        error.sqlite_error_code(),
        Some(
            CannotOpen
                | DatabaseBusy
                | DatabaseLocked
                | DiskFull
                | FileLockingProtocolFailed
                | OperationInterrupted
                | OutOfMemory
                | PermissionDenied
                | ReadOnly
                | SystemIoFailure
        )
    );
    !passes
}
