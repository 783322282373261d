//! When a running call has to end.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How long a call may run.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// What a call looks at between two steps of its work.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    cancel: CancellationToken,
    deadline: Instant,
}

impl Pace {
    /// A call that starts now.
    pub(crate) fn new(cancel: CancellationToken, limit: Duration) -> Self {
        Self {
            cancel,
            deadline: Instant::now() + limit,
        }
    }

    /// Whether the work may go on.
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

/// Why a call ends before its work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// The turn was cancelled.
    Cancelled,
    /// The time limit was reached.
    TimeUp,
}

impl Interruption {
    /// The interruption for the model, as the beginning of a sentence.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Cancelled => "Cancelled",
            Self::TimeUp => "Stopped at the time limit of 10 s",
        }
    }
}
