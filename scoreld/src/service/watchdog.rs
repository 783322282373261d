use std::process;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::ServiceManager;

/// The service manager's watchdog: it kills a daemon from which it hears nothing.
#[derive(Debug)]
pub(crate) struct Watchdog {
    manager: ServiceManager,
    period: Duration,
}

impl Watchdog {
    pub(super) const fn new(manager: ServiceManager, period: Duration) -> Self {
        Self { manager, period }
    }

    /// Reports that the daemon is alive, twice in a period, each time after `probe` has ended.
    /// Never returns.
    ///
    /// The probe goes through what would hang: a timer of its own would go on when nothing else
    /// does. It must not wait for the disk, which may be slower than the watchdog.
    pub(crate) async fn keep_alive(self, mut probe: impl AsyncFnMut()) {
        let mut ticks = interval(self.period / 2);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            probe().await;
            self.manager.alive();
        }
    }
}

/// What the manager's variables say, if they are for this process.
pub(super) fn period(variable: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let microseconds: u64 = variable("WATCHDOG_USEC")?.parse().ok()?;
    let ours = variable("WATCHDOG_PID").is_none_or(|pid| pid.parse() == Ok(process::id()));
    (ours && microseconds > 0).then(|| Duration::from_micros(microseconds))
}
