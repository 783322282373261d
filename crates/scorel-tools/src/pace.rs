//! Cancellation and the time limit of a running call.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// A call that reaches it answers with what it has.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Checked by a call between two steps of its work, since blocking code cannot be cancelled from outside.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    cancel: CancellationToken,
    deadline: Instant,
}

impl Pace {
    pub(crate) fn new(cancel: CancellationToken, limit: Duration) -> Self {
        Self {
            cancel,
            deadline: Instant::now() + limit,
        }
    }

    /// Fails if the call was cancelled or is out of time.
    pub(crate) fn check(&self) -> Result<(), Interruption> {
        if self.cancel.is_cancelled() {
            Err(Interruption::Cancelled)
        } else if Instant::now() >= self.deadline {
            Err(Interruption::TimeUp)
        } else {
            Ok(())
        }
    }
}

/// The reason why a call ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// The turn was cancelled.
    Cancelled,
    /// The time limit was reached.
    TimeUp,
}

impl Interruption {
    /// For the model, as the beginning of a sentence.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Cancelled => "Cancelled",
            Self::TimeUp => "Stopped at the time limit of 10 s",
        }
    }
}
