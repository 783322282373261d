use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, OnceLock};
use std::thread;

use tracing::warn;

/// States that wait for a manager which is behind with reading: there are two, ready and stopping.
const MAX_LATE: usize = 2;

/// The service manager's notification socket. The `sd-notify` crate knows no abstract addresses,
/// which managers in containers use.
#[derive(Debug, Clone)]
pub(super) struct NotifySocket {
    address: SocketAddr,
    socket: Arc<UnixDatagram>,
    /// The thread that sends states once the manager had no room for one.
    late: Arc<OnceLock<SyncSender<String>>>,
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
            late: Arc::default(),
        })
    }

    /// Sends one datagram. A failure is only logged: the daemon serves without a manager.
    pub(super) fn notify(&self, message: &str) {
        note(self.send(message));
    }

    /// Sends a state that is told once. The kernel keeps few datagrams, ten on most machines: where they have no room for it,
    /// a thread waits, since a manager that misses it ends the daemon after a while.
    pub(super) fn announce(&self, message: &str) {
        // In order: once one waits, later ones do.
        if self.late.get().is_none() {
            match self.send(message) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return note(other),
            }
        }
        let late = self.late.get_or_init(|| self.start_waiting());
        if late.try_send(message.to_owned()).is_err() {
            warn!("the service manager does not read what it is told");
        }
    }

    fn send(&self, message: &str) -> io::Result<()> {
        let sent = self.socket.send_to_addr(message.as_bytes(), &self.address);
        sent.map(drop)
    }

    /// Without a thread, what is sent to it fails.
    fn start_waiting(&self) -> SyncSender<String> {
        let (sender, messages) = mpsc::sync_channel(MAX_LATE);
        let address = self.address.clone();
        let thread = thread::Builder::new().name("notify".to_owned());
        let started = thread.spawn(move || note(send_waiting(&address, &messages)));
        note(started.map(drop));
        sender
    }
}

/// Sends messages, each as soon as there is room for it.
fn send_waiting(address: &SocketAddr, messages: &Receiver<String>) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    for message in messages {
        socket.send_to_addr(message.as_bytes(), address)?;
    }
    Ok(())
}

fn note(sent: io::Result<()>) {
    if let Err(error) = sent {
        warn!(%error, "cannot notify the service manager");
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
