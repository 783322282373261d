use std::sync::Arc;
use std::time::Duration;

use scorel_proto::StopReason;
use tokio_util::sync::CancellationToken;

use crate::Clock;

/// What can end a turn from outside: somebody cancels, or its time is up.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    pub(crate) cancel: CancellationToken,
    clock: Arc<dyn Clock>,
    deadline: Duration,
}

/// Why a turn must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    Cancelled,
    TimeUp,
}

impl StopCause {
    /// What a message says that ends for this cause.
    pub(crate) const fn stop_reason(self) -> StopReason {
        match self {
            Self::Cancelled => StopReason::Cancelled,
            Self::TimeUp => StopReason::Interrupted,
        }
    }
}

impl Stop {
    pub(crate) fn new(
        cancel: CancellationToken,
        clock: Arc<dyn Clock>,
        max_duration: Duration,
    ) -> Self {
        let deadline = clock.now().saturating_add(max_duration);
        Self {
            cancel,
            clock,
            deadline,
        }
    }

    /// Whether the turn must end now.
    pub(crate) fn now(&self) -> Option<StopCause> {
        if self.cancel.is_cancelled() {
            Some(StopCause::Cancelled)
        } else if self.clock.now() >= self.deadline {
            Some(StopCause::TimeUp)
        } else {
            None
        }
    }

    /// Completes when the turn must end.
    pub(crate) async fn wait(&self) -> StopCause {
        let remaining = self.deadline.saturating_sub(self.clock.now());
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => StopCause::Cancelled,
            () = self.clock.sleep(remaining) => StopCause::TimeUp,
        }
    }

    /// Sleeps, unless the turn must end first.
    pub(crate) async fn sleep(&self, duration: Duration) -> Option<StopCause> {
        tokio::select! {
            biased;
            cause = self.wait() => Some(cause),
            () = self.clock.sleep(duration) => None,
        }
    }

    /// Time that the turn spends waiting does not count.
    pub(crate) fn extend(&mut self, duration: Duration) {
        self.deadline = self.deadline.saturating_add(duration);
    }
}
