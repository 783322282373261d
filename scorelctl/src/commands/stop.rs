use std::io;
use std::time::Duration;

use scorel_client::ClientError;
use scorel_proto::{Shutdown, ShutdownParams, ShutdownResult};
use tokio::time::{sleep, timeout};

use crate::daemon::{DaemonConnector, StartDaemon};
use crate::daemon_lock::DaemonLock;
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
    link.start = StartDaemon::Never;
    let lock = DaemonLock::new(link.home().daemon_lock());
    let answer = match link.connect_raw().await {
        Err(ClientError::Unreachable { .. }) => {
            let Some(answer) = terminate(&lock)? else {
                output.note("no daemon is running")?;
                return Ok(Exit::Success);
            };
            answer
        }
        connected => {
            let connection = connected?;
            let answer = connection
                .call::<Shutdown>(&ShutdownParams::default())
                .await?;
            connection.closed().await;
            answer
        }
    };
    let gone = async {
        while lock.is_held()? {
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

/// Stops a daemon that cannot be reached by its socket; `None` if none is running.
fn terminate(lock: &DaemonLock) -> Result<Option<ShutdownResult>, Failure> {
    if !lock.is_held()? {
        return Ok(None);
    }
    if let Some(pid) = lock.terminate_holder()? {
        let pid = u32::try_from(pid.as_raw()).unwrap_or_default();
        return Ok(Some(ShutdownResult { pid }));
    }
    if !lock.is_held()? {
        return Ok(None);
    }
    let message = format!(
        "a daemon holds {} and has no socket, and its process cannot be found",
        lock.path().display()
    );
    Err(Failure::new(Exit::Unreachable, "unreachable", message))
}
