use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};

/// The interval between checks of the socket's file.
const LOOK: Duration = Duration::from_secs(5);

/// How long the file stays missing before the socket is bound again. A service manager that takes the
/// path removes the file and binds its own: bound again in between, that would fail.
const SETTLE: Duration = Duration::from_millis(250);

/// When the socket's file is looked at.
#[derive(Debug)]
pub(super) struct SocketLooks {
    ticks: Interval,
    bell: Arc<Notify>,
    missing_since: Option<Instant>,
}

impl SocketLooks {
    pub(super) fn new(bell: Arc<Notify>) -> Self {
        let mut ticks = interval(LOOK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            ticks,
            bell,
            missing_since: None,
        }
    }

    /// Waits until a look is due. May be cancelled.
    pub(super) async fn due(&mut self) {
        let settled = self.missing_since.map(|since| since + SETTLE);
        let settled_at = settled.unwrap_or_else(Instant::now);
        tokio::select! {
            _ = self.ticks.tick() => {}
            () = self.bell.notified() => {}
            () = sleep_until(settled_at), if settled.is_some() => {}
        }
    }

    /// Records the result of a check; returns whether the file has been missing for long enough.
    pub(super) fn has_settled(&mut self, is_missing: bool) -> bool {
        if !is_missing {
            self.missing_since = None;
            return false;
        }
        let since = *self.missing_since.get_or_insert_with(Instant::now);
        let settled = since.elapsed() >= SETTLE;
        if settled {
            self.missing_since = None;
        }
        settled
    }
}
