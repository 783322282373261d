//! Waiting until a daemon has ended, and ending one that has no socket.

use std::io;
use std::time::Duration;

use nix::sys::signal::Signal;
use scorel_proto::ShutdownResult;
use tokio::time::{sleep, timeout};

use crate::daemon::DaemonConnector;
use crate::daemon_lock::DaemonLock;
use crate::exit::Exit;
use crate::failure::Failure;

/// How long a daemon may take that ends its turns. Longer than its grace period for them.
const STOP_PATIENCE: Duration = Duration::from_secs(60);

/// How long one may take that parks them. Longer than the greatest `[service] parkSeconds`.
const PARK_PATIENCE: Duration = Duration::from_secs(700);

/// The interval at which the lock is polled.
const INTERVAL: Duration = Duration::from_millis(10);

/// The end of the daemon that holds a home's lock.
pub(super) struct DaemonEnd {
    lock: DaemonLock,
    signal: Signal,
    patience: Duration,
}

impl DaemonEnd {
    /// Its turns are ended.
    pub(super) fn cancelling(link: &DaemonConnector) -> Self {
        Self {
            lock: DaemonLock::new(link.home().daemon_lock()),
            signal: Signal::SIGINT,
            patience: STOP_PATIENCE,
        }
    }

    /// Its turns are parked.
    pub(super) fn parking(link: &DaemonConnector) -> Self {
        Self {
            signal: Signal::SIGTERM,
            patience: PARK_PATIENCE,
            ..Self::cancelling(link)
        }
    }

    /// Ends a daemon that cannot be reached by its socket; `None` if none is running.
    pub(super) fn signal(&self) -> Result<Option<ShutdownResult>, Failure> {
        if !self.lock.is_held()? {
            return Ok(None);
        }
        if let Some(pid) = self.lock.signal_holder(self.signal)? {
            let pid = u32::try_from(pid.as_raw()).unwrap_or_default();
            return Ok(Some(ShutdownResult { pid }));
        }
        if !self.lock.is_held()? {
            return Ok(None);
        }
        let message = format!(
            "a daemon holds {} and has no socket, and its process cannot be found",
            self.lock.path().display()
        );
        Err(Failure::new(Exit::Unreachable, "unreachable", message))
    }

    /// Waits until the daemon, which is process `pid`, has released its lock.
    pub(super) async fn wait(&self, pid: u32) -> Result<(), Failure> {
        let gone = async {
            while self.lock.is_held()? {
                sleep(INTERVAL).await;
            }
            io::Result::Ok(())
        };
        match timeout(self.patience, gone).await {
            Ok(gone) => Ok(gone?),
            Err(_) => {
                let message = format!("the daemon (process {pid}) did not exit in time");
                Err(Failure::new(Exit::Internal, "timeout", message))
            }
        }
    }
}
