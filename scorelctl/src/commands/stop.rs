use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use fs2::FileExt;
use scorel_client::ClientError;
use scorel_proto::{NoParams, Shutdown};
use tokio::time::{sleep, timeout};

use crate::daemon::DaemonConnector;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

/// How long to wait for the daemon to exit. Longer than its grace period for running turns.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interval at which the lock is polled.
const INTERVAL: Duration = Duration::from_millis(10);

/// Shuts the daemon down and waits until it has released its lock. There is no handshake, so that
/// this also stops a daemon of an incompatible version.
pub(super) async fn run(mut link: DaemonConnector, output: &mut Output) -> Result<Exit, Failure> {
    link.start = false;
    let connection = match link.connect_raw().await {
        Err(ClientError::Unreachable { .. }) => {
            output.note("no daemon is running")?;
            return Ok(Exit::Success);
        }
        connected => connected?,
    };
    let answer = connection.call::<Shutdown>(&NoParams {}).await?;
    let lock = link.home().daemon_lock();
    let gone = async {
        connection.closed().await;
        while is_held(&lock)? {
            sleep(INTERVAL).await;
        }
        io::Result::Ok(())
    };
    match timeout(PATIENCE, gone).await {
        Ok(gone) => gone?,
        Err(_) => {
            let message = format!("the daemon (process {}) did not exit in time", answer.pid);
            return Err(Failure::new(Exit::Internal, "timeout", message));
        }
    }
    result(output, &answer, |output| output.line("stopped"))?;
    Ok(Exit::Success)
}

/// Whether a daemon is running: it holds its lock for as long as it does. The socket is no
/// indication, because a service manager may keep it open and start the daemon for the next
/// connection.
fn is_held(lock: &Path) -> io::Result<bool> {
    let file = match File::open(lock) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    match FileExt::try_lock_shared(&file) {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == fs2::lock_contended_error().kind() => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_until_its_owner_releases_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("scoreld.lock");
        assert!(!is_held(&path).expect("looked"), "no daemon ever ran");
        let owner = File::create(&path).expect("created");
        owner.lock_exclusive().expect("locked");
        assert!(is_held(&path).expect("looked"));
        drop(owner);
        assert!(!is_held(&path).expect("looked"));
    }
}
