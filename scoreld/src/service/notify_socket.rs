use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;

use tracing::warn;

/// The service manager's notification socket. The `sd-notify` crate knows no abstract addresses,
/// which managers in containers use.
#[derive(Debug, Clone)]
pub(super) struct NotifySocket {
    address: SocketAddr,
    socket: Arc<UnixDatagram>,
}

impl NotifySocket {
    /// `address` is an absolute path, or `@` and the name of an abstract socket.
    pub(super) fn new(address: &OsStr) -> io::Result<Self> {
        let address = match address.as_bytes() {
            [b'@', name @ ..] => abstract_address(name)?,
            [b'/', ..] => SocketAddr::from_pathname(address)?,
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        let socket = UnixDatagram::unbound()?;
        // A manager that does not read must not block the daemon.
        socket.set_nonblocking(true)?;
        Ok(Self {
            address,
            socket: Arc::new(socket),
        })
    }

    /// Sends one datagram. A failure is only logged: the daemon serves without a manager.
    pub(super) fn notify(&self, message: &str) {
        let sent = self.socket.send_to_addr(message.as_bytes(), &self.address);
        if let Err(error) = sent {
            warn!(%error, "cannot notify the service manager");
        }
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
