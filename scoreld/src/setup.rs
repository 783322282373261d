use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;

use scorel_host::HostParts;
use scorel_rpc::{BindError, Listener};

use crate::readiness::Readiness;
use crate::service::ServiceManager;

/// What `start` has opened and claimed; the input of `daemon::run`.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The socket that a service manager passed; [`Self::listen`] takes it.
    pub(crate) adopted: Option<UnixListener>,
    pub(crate) readiness: Readiness,
    pub(crate) service: ServiceManager,
    /// Of a home that this process has locked.
    pub(crate) parts: HostParts,
}

/// Why the daemon cannot listen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error("cannot use the service manager's socket")]
    Adopt(#[source] io::Error),
}

impl Setup {
    /// Listens on the service manager's socket, or binds one in the home.
    pub(crate) fn listen(&mut self) -> Result<Listener, ListenError> {
        match self.adopted.take() {
            Some(socket) => Listener::from_fd(OwnedFd::from(socket)).map_err(ListenError::Adopt),
            // This process holds the home's lock, so a socket that is there is left over from a daemon
            // that was killed, and may be replaced.
            None => Ok(Listener::bind(self.parts.home.socket(), true)?),
        }
    }
}
