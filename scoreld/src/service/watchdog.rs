use std::process;
use std::time::Duration;

use super::notify_socket::NotifySocket;

/// The service manager's watchdog, which kills a daemon that misses its period.
#[derive(Debug)]
pub(crate) struct ManagerWatchdog {
    socket: NotifySocket,
    pub(crate) period: Duration,
}

impl ManagerWatchdog {
    pub(super) const fn new(socket: NotifySocket, period: Duration) -> Self {
        Self { socket, period }
    }

    pub(crate) fn keep_alive(&self) {
        self.socket.notify("WATCHDOG=1\n");
    }
}

/// The watchdog's period according to `WATCHDOG_USEC` and `WATCHDOG_PID`, if it watches this
/// process.
pub(super) fn period(variable: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let microseconds: u64 = variable("WATCHDOG_USEC")?.parse().ok()?;
    let ours = variable("WATCHDOG_PID").is_none_or(|pid| pid.parse() == Ok(process::id()));
    (ours && microseconds > 0).then(|| Duration::from_micros(microseconds))
}
