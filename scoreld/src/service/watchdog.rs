use std::process;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::notify_socket::NotifySocket;

/// The service manager's watchdog, which kills a daemon that misses its period.
#[derive(Debug)]
pub(crate) struct Watchdog {
    socket: NotifySocket,
    period: Duration,
}

impl Watchdog {
    pub(super) const fn new(socket: NotifySocket, period: Duration) -> Self {
        Self { socket, period }
    }

    /// Sends a keep-alive twice per period, as `sd_watchdog_enabled(3)` advises, each after `probe`
    /// has returned. Never returns.
    ///
    /// The probe goes through what would hang: a timer alone keeps firing when nothing else runs. It
    /// must not wait for the disk, which may be slower than the watchdog.
    pub(crate) async fn keep_alive(self, mut probe: impl AsyncFnMut()) {
        let mut ticks = interval(self.period / 2);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            probe().await;
            self.socket.notify("WATCHDOG=1\n");
        }
    }
}

/// The watchdog's period according to `WATCHDOG_USEC` and `WATCHDOG_PID`, if it watches this
/// process.
pub(super) fn period(variable: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let microseconds: u64 = variable("WATCHDOG_USEC")?.parse().ok()?;
    let ours = variable("WATCHDOG_PID").is_none_or(|pid| pid.parse() == Ok(process::id()));
    (ours && microseconds > 0).then(|| Duration::from_micros(microseconds))
}
