use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;

/// Where a service manager takes messages. (The usual crate for this knows no abstract addresses,
/// which managers in containers use.)
#[derive(Debug, Clone)]
pub(super) struct NotifySocket {
    address: SocketAddr,
    socket: Arc<UnixDatagram>,
}

impl NotifySocket {
    /// `address` is a path, or `@` and the name of an abstract socket.
    pub(super) fn new(address: &OsStr) -> io::Result<Self> {
        let address = match address.as_bytes() {
            [b'@', name @ ..] => abstract_address(name)?,
            [b'/', ..] => SocketAddr::from_pathname(address)?,
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        let socket = UnixDatagram::unbound()?;
        // The manager may be slow; the daemon does not wait for it.
        socket.set_nonblocking(true)?;
        Ok(Self {
            address,
            socket: Arc::new(socket),
        })
    }

    pub(super) fn send(&self, message: &[u8]) -> io::Result<()> {
        self.socket.send_to_addr(message, &self.address).map(drop)
    }
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &[u8]) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt;
    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_address(_name: &[u8]) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}
