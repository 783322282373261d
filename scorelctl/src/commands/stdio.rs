use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;

use scorel_client::ClientError;
use tokio::runtime::Runtime;

use crate::daemon::{LocalDaemon, no_daemon};
use crate::exit::Exit;
use crate::failure::Failure;

/// Copies bytes between the standard streams and the daemon's socket until the daemon closes it.
/// End of file on standard input half-closes the socket.
///
/// Each direction has a thread: a blocking read of standard input cannot be cancelled, and must not
/// keep the program alive once the daemon has closed the connection.
pub(super) fn run(runtime: &Runtime, link: &LocalDaemon) -> Result<Exit, Failure> {
    let socket = connect(runtime, link)?;
    let outgoing = socket.try_clone()?;
    thread::spawn(move || {
        // An error means that the daemon closed the socket, which the other direction reports.
        let _ = copy(io::stdin().lock(), &outgoing);
        let _ = outgoing.shutdown(Shutdown::Write);
    });
    match copy(&socket, io::stdout().lock()) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(Exit::Success),
        copied => Ok(copied.map(|()| Exit::Success)?),
    }
}

/// Connects, and starts the daemon if necessary and allowed.
fn connect(runtime: &Runtime, link: &LocalDaemon) -> Result<UnixStream, Failure> {
    let path = link.home().socket_path().map_err(ClientError::from)?;
    if let Ok(socket) = UnixStream::connect(&path) {
        return Ok(socket);
    }
    let started = runtime.block_on(link.connect_raw());
    drop(started.map_err(|error| no_daemon(link.start, error))?);
    Ok(UnixStream::connect(path)?)
}

/// Copies with a flush after each read: the peer waits for every message.
fn copy(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                to.write_all(&buffer[..length])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
