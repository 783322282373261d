//! Making a socket that nobody else can use, not even for a moment.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind as bind_to, listen, socket_with,
    sockopt,
};
use tokio::net::UnixListener;

use super::Created;

/// The longest path that fits into the system's socket address, in bytes.
const MAX_PATH: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 128;

/// Why a socket could not be bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The path does not fit into a socket address.
    #[error(
        "the socket path `{path}` has {length} bytes, and {max} is the most a socket can have: \
         choose a shorter directory"
    )]
    PathTooLong {
        /// The path.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
        /// The longest path possible, in bytes.
        max: usize,
    },
    /// Something that is not a socket is in the way.
    #[error("`{0}` exists and is not a socket")]
    NotASocket(PathBuf),
    /// A socket is in the way.
    #[error("the socket `{0}` exists")]
    Exists(PathBuf),
    /// The system refused.
    #[error("cannot bind the socket `{path}`: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

pub(super) fn bind(path: &Path, replace: bool) -> Result<(UnixListener, Created), BindError> {
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

/// The mode is set on the socket before it has a name, where the system takes it from there, and
/// again on the file before anybody can connect: until `listen`, connecting is refused.
fn create(path: &Path) -> io::Result<(UnixListener, Created)> {
    let socket = open()?;
    let private = Mode::RUSR | Mode::WUSR;
    let early = rustix::fs::fchmod(&socket, private);
    bind_to(&socket, &SocketAddrUnix::new(path)?)?;
    let (device, inode) = identity(path)?;
    let created = Created {
        path: path.to_owned(),
        device,
        inode,
    };
    if early.is_err() || path.symlink_metadata()?.mode() & 0o777 != 0o600 {
        rustix::fs::chmod(path, private)?;
    }
    listen(&socket, BACKLOG)?;
    Ok((into_tokio(socket)?, created))
}

#[cfg(target_os = "linux")]
fn open() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        flags,
        None,
    )?)
}

#[cfg(not(target_os = "linux"))]
fn open() -> io::Result<OwnedFd> {
    let flags = SocketFlags::empty();
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    Ok(socket)
}

pub(super) fn adopt(fd: OwnedFd) -> io::Result<UnixListener> {
    let stream = sockopt::socket_type(&fd)? == SocketType::STREAM;
    let unix = rustix::net::getsockname(&fd)?.address_family() == AddressFamily::UNIX;
    if !(stream && unix && sockopt::socket_acceptconn(&fd)?) {
        let message = "the descriptor is not a listening Unix stream socket";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC)?;
    into_tokio(fd)
}

fn into_tokio(socket: OwnedFd) -> io::Result<UnixListener> {
    let socket = std::os::unix::net::UnixListener::from(socket);
    socket.set_nonblocking(true)?;
    UnixListener::from_std(socket)
}

/// The device and inode of the file itself.
pub(super) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    path.symlink_metadata().map(|file| (file.dev(), file.ino()))
}
