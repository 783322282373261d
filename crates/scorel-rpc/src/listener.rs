//! The Unix socket: binding it, accepting connections, authenticating peers.

mod accept;
mod backoff;
mod bind;
mod socket_file;

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use tokio::net::UnixListener;
use tokio::net::unix::UCred;

pub use bind::BindError;

use crate::{AccessLevel, Caller, Principal};
use socket_file::SocketFile;

/// A listening Unix socket.
#[derive(Debug)]
pub struct Listener {
    socket: UnixListener,
    /// Removed on drop; `None` if a service manager owns it.
    _file: Option<SocketFile>,
}

impl Listener {
    /// Binds a socket with mode 0600. With `replace`, a stale socket is removed first; the caller holds
    /// a lock that makes sure no other process listens on it. The file is removed on drop.
    ///
    /// # Errors
    /// See [`BindError`]. A file that is not a socket is never removed.
    pub fn bind(path: &Path, replace: bool) -> Result<Self, BindError> {
        let (socket, file) = bind::bind(path, replace)?;
        Ok(Self {
            socket,
            _file: Some(file),
        })
    }

    /// Adopts a listening Unix socket from a service manager (socket activation).
    ///
    /// # Errors
    /// It is not a listening Unix stream socket, or a system call failed.
    pub fn from_fd(fd: OwnedFd) -> io::Result<Self> {
        let socket = bind::adopt(fd)?;
        Ok(Self {
            socket,
            _file: None,
        })
    }
}

/// Admits processes of one user, with full access.
pub fn local_user(uid: u32) -> impl Fn(&UCred) -> Option<Caller> + Send + Sync {
    move |peer| {
        (peer.uid() == uid).then_some(Caller {
            principal: Principal::LocalUser { uid },
            client_id: None,
            access: AccessLevel::Admin,
        })
    }
}
