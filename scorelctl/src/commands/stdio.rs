use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;

use scorel_client::ClientError;
use tokio::runtime::Runtime;

use crate::control::{Link, no_daemon};
use crate::exit::Exit;
use crate::failure::Failure;

/// Copies bytes between the standard streams and the daemon's socket until the daemon has nothing
/// more to say. The end of standard input ends one direction only.
///
/// Two threads copy: a read of standard input cannot be given up, and it must not keep the program
/// alive once the daemon has closed the connection.
pub(super) fn run(runtime: &Runtime, link: &Link) -> Result<Exit, Failure> {
    let socket = connect(runtime, link)?;
    let outgoing = socket.try_clone()?;
    thread::spawn(move || {
        // An error means that the daemon has gone, which the other direction notices.
        let _ = copy(io::stdin().lock(), &outgoing);
        let _ = outgoing.shutdown(Shutdown::Write);
    });
    match copy(&socket, io::stdout().lock()) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(Exit::Success),
        copied => Ok(copied.map(|()| Exit::Success)?),
    }
}

/// Connects, and starts the daemon if that is allowed and necessary.
fn connect(runtime: &Runtime, link: &Link) -> Result<UnixStream, Failure> {
    let path = link.home().socket_path().map_err(ClientError::from)?;
    if let Ok(socket) = UnixStream::connect(&path) {
        return Ok(socket);
    }
    let started = runtime.block_on(link.silent());
    drop(started.map_err(|error| no_daemon(link, error))?);
    Ok(UnixStream::connect(path)?)
}

/// Passes every piece on at once.
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
