use std::time::Duration;

use scorel_proto::{ProcessState, RpcError};

/// The reason why a call to a process has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ServiceError {
    /// It does not run, and the call was not made.
    #[error("{name} is not available ({state}): {reason}")]
    Unavailable {
        name: String,
        state: ProcessState,
        reason: String,
    },
    /// It ended, or was ended, during the call, which may have taken effect.
    #[error("{name} was lost during the call, so its outcome is unknown: {reason}")]
    Lost { name: String, reason: String },
    /// No answer came in time. The call was withdrawn.
    #[error("{name} did not answer within {} s", limit.as_secs_f64())]
    Overdue { name: String, limit: Duration },
    /// Its own error.
    #[error("{}", .0.message)]
    Answered(RpcError),
}
