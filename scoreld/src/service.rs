//! What a service manager is told: ready, stopping, alive.

mod notify_socket;
mod watchdog;

use std::ffi::OsString;
use std::fmt;

use tracing::warn;

use notify_socket::NotifySocket;
pub(crate) use watchdog::Watchdog;

/// The service manager, or nobody: then everything said is dropped.
///
/// launchd wants no messages, so on macOS this is always nobody, and the agent is started at login
/// instead of by its socket. That fallback is not tested.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceManager {
    socket: Option<NotifySocket>,
}

impl ServiceManager {
    /// The manager that `NOTIFY_SOCKET` names.
    #[must_use]
    pub(crate) fn from_environment() -> Self {
        Self::at(std::env::var_os("NOTIFY_SOCKET"))
    }

    fn at(address: Option<OsString>) -> Self {
        let address = address.filter(|address| !address.is_empty());
        let socket = address.and_then(|address| match NotifySocket::new(&address) {
            Ok(socket) => Some(socket),
            Err(error) => {
                warn!(?address, %error, "cannot talk to the service manager");
                None
            }
        });
        Self { socket }
    }

    /// The daemon accepts connections.
    pub(crate) fn ready(&self, status: &str) {
        self.send(format_args!("READY=1\nSTATUS={}\n", one_line(status)));
    }

    /// The daemon stops.
    pub(crate) fn stopping(&self, status: &str) {
        self.send(format_args!("STOPPING=1\nSTATUS={}\n", one_line(status)));
    }

    /// The watchdog, if the manager runs one for this process.
    #[must_use]
    pub(crate) fn watchdog(&self) -> Option<Watchdog> {
        let period = watchdog::period(|name| std::env::var(name).ok())?;
        self.socket
            .is_some()
            .then(|| Watchdog::new(self.clone(), period))
    }

    fn alive(&self) {
        self.send(format_args!("WATCHDOG=1\n"));
    }

    fn send(&self, message: fmt::Arguments<'_>) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(message.to_string().as_bytes()) {
            warn!(%error, "cannot tell the service manager");
        }
    }
}

/// A line break would begin another assignment.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

#[cfg(test)]
mod tests;
