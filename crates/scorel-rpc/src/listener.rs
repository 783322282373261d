//! The Unix socket: binding it, accepting connections, authenticating peers.

mod accept;
mod bind;
mod looks;
mod socket_file;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::UnixListener;
use tokio::net::unix::UCred;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub use bind::BindError;

use crate::{AccessLevel, Caller, HttpDocuments, Principal};
use socket_file::SocketFile;

/// A listening Unix socket.
///
/// While it is served, a socket file that was deleted is made again, so that clients find the daemon. A
/// file that another process has put in its place is left alone.
#[derive(Debug)]
pub struct Listener {
    socket: UnixListener,
    /// `None` for a socket without a path, of a service manager.
    path: Option<PathBuf>,
    /// `None` if there was none when a service manager's socket was adopted.
    file: Option<SocketFile>,
    bell: Arc<Notify>,
    documents: Option<Arc<dyn HttpDocuments>>,
    replaced: CancellationToken,
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
            path: Some(path.to_owned()),
            file: Some(file),
            bell: Arc::default(),
            documents: None,
            replaced: CancellationToken::new(),
        })
    }

    /// Adopts a listening Unix socket from a service manager (socket activation).
    ///
    /// # Errors
    /// It is not a listening Unix stream socket, or a system call failed.
    pub fn from_fd(fd: OwnedFd) -> io::Result<Self> {
        let socket = bind::adopt(fd)?;
        let address = socket.local_addr()?;
        let path = address.as_pathname().filter(|path| path.is_absolute());
        Ok(Self {
            file: path.and_then(|path| SocketFile::of_other(path).ok()),
            path: path.map(Path::to_owned),
            socket,
            bell: Arc::default(),
            documents: None,
            replaced: CancellationToken::new(),
        })
    }

    /// Has connections whose first byte is that of `GET` answered with documents.
    #[must_use]
    pub fn with_documents(mut self, documents: Arc<dyn HttpDocuments>) -> Self {
        self.documents = Some(documents);
        self
    }

    /// Notify this when the socket's file may have changed: it is then checked at once, and not only
    /// every few seconds.
    pub const fn bell(&self) -> &Arc<Notify> {
        &self.bell
    }

    /// Cancelled when another socket has taken the place of this one's file, as a service manager's does:
    /// clients reach that one from then on.
    pub const fn replaced(&self) -> &CancellationToken {
        &self.replaced
    }

    /// Returns whether the socket's file is missing. Cancels `replaced` if another socket has taken its path.
    fn is_missing(&self) -> bool {
        let Some(path) = &self.path else { return false };
        let replaced = self.file.as_ref().is_some_and(SocketFile::is_replaced);
        if replaced && !self.replaced.is_cancelled() {
            tracing::warn!(path = %path.display(), "another socket has taken the place of the daemon's");
            self.replaced.cancel();
        }
        is_missing(path)
    }

    /// Binds the socket again. Connections are not affected.
    fn restore(&mut self) {
        let Some(path) = &self.path else { return };
        match bind::bind(path, false) {
            Ok((socket, file)) => {
                tracing::warn!(path = %path.display(), "the socket was deleted and is bound again");
                self.socket = socket;
                self.file = Some(file);
            }
            Err(error) => tracing::warn!(%error, "the socket was deleted and cannot be bound"),
        }
    }
}

fn is_missing(path: &Path) -> bool {
    let found = path.symlink_metadata();
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
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
