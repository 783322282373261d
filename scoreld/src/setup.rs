use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;

use scorel_host::{ConfigSource, Device, Home, ProjectRegistry, SecretStore, Shutdown};
use scorel_rpc::{BindError, Listener};

use crate::readiness::Readiness;
use crate::service::ServiceManager;

/// Everything that the daemon finds when it begins to run.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The home, which is locked while the daemon runs.
    pub(crate) home: Home,
    /// This machine.
    pub(crate) device: Device,
    /// The registered projects.
    pub(crate) projects: ProjectRegistry,
    /// The configuration.
    pub(crate) config: ConfigSource,
    /// The secrets that the configuration names.
    pub(crate) secrets: SecretStore,
    /// The socket that a service manager passed. [`Self::listen`] takes it.
    pub(crate) adopted: Option<UnixListener>,
    /// Who waits for the daemon to be ready.
    pub(crate) readiness: Readiness,
    /// The service manager.
    pub(crate) service: ServiceManager,
    /// The daemon's end.
    pub(crate) shutdown: Shutdown,
}

/// Why the daemon cannot listen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    /// The socket cannot be made.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The service manager's socket cannot be used.
    #[error("cannot use the service manager's socket")]
    Adopt(#[source] io::Error),
}

impl Setup {
    /// Listens on the service manager's socket, or on a new one in the home, in place of what a
    /// daemon that was killed left there.
    ///
    /// # Errors
    /// The system refused, or something that is no socket has the socket's name.
    pub(crate) fn listen(&mut self) -> Result<Listener, ListenError> {
        match self.adopted.take() {
            Some(socket) => Listener::from_fd(OwnedFd::from(socket)).map_err(ListenError::Adopt),
            // The lock says that nobody serves what is there.
            None => Ok(Listener::bind(self.home.socket(), true)?),
        }
    }
}
