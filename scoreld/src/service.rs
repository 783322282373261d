//! Notifications to the service manager (`sd_notify(3)`): ready, stopping, alive.

mod notify_socket;
mod watchdog;

use std::ffi::OsString;
use std::time::Duration;

use tracing::warn;

use notify_socket::NotifySocket;
pub(crate) use watchdog::ManagerWatchdog;

/// The service manager. Without one, every notification is dropped.
///
/// launchd takes no notifications, so on macOS there is never one; its agent starts the daemon at
/// login instead of on the first connection. That path is untested.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceManager {
    socket: Option<NotifySocket>,
    is_parent: bool,
}

impl ServiceManager {
    /// The manager that started this process: it named its socket in `NOTIFY_SOCKET`, or, for a unit
    /// without `Type=notify`, this process in `SYSTEMD_EXEC_PID`.
    pub(crate) fn from_environment() -> Self {
        Self {
            is_parent: is_parent(|name| std::env::var(name).ok()),
            ..Self::at(std::env::var_os("NOTIFY_SOCKET"))
        }
    }

    fn at(address: Option<OsString>) -> Self {
        let address = address.filter(|address| !address.is_empty());
        let socket = address.and_then(|address| match NotifySocket::new(&address) {
            Ok(socket) => Some(socket),
            Err(error) => {
                warn!(?address, %error, "cannot use NOTIFY_SOCKET");
                None
            }
        });
        Self {
            socket,
            is_parent: false,
        }
    }

    pub(crate) const fn is_there(&self) -> bool {
        self.socket.is_some() || self.is_parent
    }

    /// `within`: how long it may take until the next message, for which the manager is to wait.
    pub(crate) fn starting(&self, status: &str, within: Duration) {
        self.notify(&format!(
            "STATUS={}\nEXTEND_TIMEOUT_USEC={}\n",
            one_line(status),
            within.as_micros()
        ));
    }

    pub(crate) fn ready(&self, status: &str) {
        self.announce(&format!("READY=1\nSTATUS={}\n", one_line(status)));
    }

    /// `within`: how long it may take, which the manager is to wait for.
    pub(crate) fn stopping(&self, status: &str, within: Duration) {
        self.announce(&format!(
            "STOPPING=1\nSTATUS={}\nEXTEND_TIMEOUT_USEC={}\n",
            one_line(status),
            within.as_micros()
        ));
    }

    /// The watchdog, if the manager runs one for this process.
    pub(crate) fn watchdog(&self) -> Option<ManagerWatchdog> {
        let period = watchdog::period(|name| std::env::var(name).ok())?;
        let socket = self.socket.clone()?;
        Some(ManagerWatchdog::new(socket, period))
    }

    fn notify(&self, message: &str) {
        if let Some(socket) = &self.socket {
            socket.notify(message);
        }
    }

    fn announce(&self, message: &str) {
        if let Some(socket) = &self.socket {
            socket.announce(message);
        }
    }
}

/// Whether the manager started this very process. `INVOCATION_ID` alone says less: a shell in a terminal
/// that is itself a service passes it on to everything that is typed there.
fn is_parent(variable: impl Fn(&str) -> Option<String>) -> bool {
    let started = variable("SYSTEMD_EXEC_PID").and_then(|pid| pid.parse().ok());
    variable("INVOCATION_ID").is_some() && started == Some(std::process::id())
}

/// A line break would begin another assignment.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

#[cfg(test)]
mod tests;
