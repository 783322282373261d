//! Binding a Unix socket that other users can never connect to.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt as _};
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, UnixAddr, bind as bind_to, getsockname, getsockopt,
    listen, socket, sockopt,
};
use nix::sys::stat::{Mode, fchmod};
use tokio::net::UnixListener;

use super::socket_file::SocketFile;

/// Size of `sockaddr_un.sun_path` in bytes, without the terminating NUL.
const MAX_PATH: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// Connections that wait to be accepted.
const BACKLOG: i32 = 128;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    #[error(
        "the socket path `{path}` has {length} bytes, and {max} is the most a socket can have: \
         choose a shorter directory"
    )]
    PathTooLong {
        path: PathBuf,
        /// In bytes.
        length: usize,
        /// In bytes.
        max: usize,
    },
    #[error("`{0}` exists and is not a socket")]
    NotASocket(PathBuf),
    /// A socket exists, and replacing it was not requested.
    #[error("the socket `{0}` exists")]
    Exists(PathBuf),
    #[error("cannot bind the socket `{path}`: {source}")]
    Io { path: PathBuf, source: io::Error },
}

pub(super) fn bind(path: &Path, replace: bool) -> Result<(UnixListener, SocketFile), BindError> {
    let length = path.as_os_str().len();
    if length > MAX_PATH {
        let path = path.to_owned();
        return Err(BindError::PathTooLong {
            path,
            length,
            max: MAX_PATH,
        });
    }
    make_way(path, replace)?;
    create(path).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => BindError::Exists(path.to_owned()),
        _ => BindError::Io {
            path: path.to_owned(),
            source,
        },
    })
}

fn make_way(path: &Path, replace: bool) -> Result<(), BindError> {
    let failed = |source| BindError::Io {
        path: path.to_owned(),
        source,
    };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
        Ok(found) if !found.file_type().is_socket() => Err(BindError::NotASocket(path.to_owned())),
        Ok(_) if !replace => Err(BindError::Exists(path.to_owned())),
        Ok(_) => std::fs::remove_file(path).map_err(failed),
    }
}

/// No other user may connect at any moment, whatever the umask: Linux takes the mode of the new file
/// from the socket, so it is set before `bind`. Elsewhere, or where that fails, it is set on the file
/// before `listen`; until then `connect` is refused.
fn create(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let socket = open()?;
    let private = Mode::S_IRUSR | Mode::S_IWUSR;
    let early = fchmod(&socket, private);
    bind_to(socket.as_raw_fd(), &UnixAddr::new(path)?)?;
    let file = SocketFile::at(path)?;
    if early.is_err() || path.symlink_metadata()?.mode() & 0o777 != 0o600 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    }
    listen(&socket, Backlog::new(BACKLOG)?)?;
    Ok((into_tokio(socket)?, file))
}

#[cfg(target_os = "linux")]
fn open() -> io::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    Ok(socket(AddressFamily::Unix, SockType::Stream, flags, None)?)
}

#[cfg(not(target_os = "linux"))]
fn open() -> io::Result<OwnedFd> {
    let flags = SockFlag::empty();
    let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    fcntl(&socket, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(socket)
}

pub(super) fn adopt(fd: OwnedFd) -> io::Result<UnixListener> {
    let is_stream = getsockopt(&fd, sockopt::SockType)? == SockType::Stream;
    let is_unix = getsockname::<UnixAddr>(fd.as_raw_fd()).is_ok();
    if !(is_stream && is_unix && getsockopt(&fd, sockopt::AcceptConn)?) {
        let message = "the descriptor is not a listening Unix stream socket";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    fcntl(&fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    into_tokio(fd)
}

fn into_tokio(socket: OwnedFd) -> io::Result<UnixListener> {
    let socket = std::os::unix::net::UnixListener::from(socket);
    socket.set_nonblocking(true)?;
    UnixListener::from_std(socket)
}
