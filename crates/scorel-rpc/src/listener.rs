mod accept;
mod backoff;
mod bind;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;
use tokio::net::unix::UCred;

pub use bind::BindError;

use crate::{Access, Caller, Principal};

/// A Unix socket that accepts connections of this machine's users.
#[derive(Debug)]
pub struct Listener {
    socket: UnixListener,
    /// Removes the socket file when the listener goes.
    _created: Option<Created>,
}

/// A socket file that goes when its listener goes, unless another file took its place.
#[derive(Debug)]
struct Created {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Listener {
    /// Binds a socket that only its owner can use from the first moment it exists. With `replace`,
    /// a socket in its place is removed first: whether somebody listens there is for the caller to
    /// find out, under a lock. The file is removed when the listener is dropped.
    ///
    /// # Errors
    /// The path is too long for a socket, something stands in its place, or the system refused.
    /// What is not a socket is never removed.
    pub fn bind(path: &Path, replace: bool) -> Result<Self, BindError> {
        let (socket, created) = bind::bind(path, replace)?;
        Ok(Self {
            socket,
            _created: Some(created),
        })
    }

    /// Adopts a listening Unix socket from a service manager, who owns its file.
    ///
    /// # Errors
    /// It is not a listening Unix stream socket, or the system refused.
    pub fn from_fd(fd: OwnedFd) -> io::Result<Self> {
        let socket = bind::adopt(fd)?;
        Ok(Self {
            socket,
            _created: None,
        })
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        if bind::identity(&self.path).ok() == Some((self.device, self.inode)) {
            // Nobody is left to tell; the next daemon replaces the file.
            let _ignored: io::Result<()> = std::fs::remove_file(&self.path);
        }
    }
}

/// Admits every process of one user with full access, and nobody else.
pub fn local_user(uid: u32) -> impl Fn(&UCred) -> Option<Caller> + Send + Sync {
    move |peer| {
        (peer.uid() == uid).then_some(Caller {
            principal: Principal::LocalUser { uid },
            client_id: None,
            access: Access::Admin,
        })
    }
}
