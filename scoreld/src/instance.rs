//! One daemon per home: claiming the lock, and waiting for its holder.

mod info;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use info::{DaemonInfo, PublishedInfo};

use scorel_host::{Home, HomeLock, LockError};

/// How long another holder of the lock gets to become ready or to exit.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_secs(10);

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// The outcome of a claim.
#[derive(Debug)]
pub(crate) enum Instance {
    /// This process may serve the home while it keeps the lock.
    Ours(HomeLock),
    /// Another process accepts connections.
    Other {
        /// From `daemon.json`, for messages only: a stale process id must never be signalled.
        pid: Option<u32>,
    },
}

/// Why the home could not be claimed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstanceError {
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Another process holds the lock and does not accept connections.
    #[error(
        "another scoreld{} holds {path}; it neither became ready nor ended within {seconds} s; see its log, or stop it and try again",
        process(*pid)
    )]
    NotReady {
        path: PathBuf,
        pid: Option<u32>,
        seconds: u64,
    },
    /// Another process holds the lock, and this one, started by a service manager, cannot leave the
    /// home to it.
    #[error(
        "another scoreld{} holds {path} and did not end within {seconds} s; it was not started by this service: stop it (`scorelctl stop`), then start the service again",
        process(*pid)
    )]
    Held {
        path: PathBuf,
        pid: Option<u32>,
        seconds: u64,
    },
}

impl Instance {
    /// Takes the home's lock. If another process holds it, waits up to `timeout` until that process
    /// accepts connections, or exits and releases the lock. Blocks.
    ///
    /// Only the lock and a connection prove that a daemon lives: a recorded process id may have been
    /// reused.
    pub(crate) fn claim(home: &Home, timeout: Duration) -> Result<Self, InstanceError> {
        poll(home, timeout, || {
            if let Some(lock) = HomeLock::try_take(&home.lock())? {
                return Ok(Some(Self::Ours(lock)));
            }
            let ready = UnixStream::connect(home.socket()).is_ok();
            Ok(ready.then(|| Self::Other {
                pid: known_pid(home),
            }))
        })
    }

    /// Takes the home's lock, waiting up to `timeout` for another process to release it. Blocks.
    ///
    /// For a process that a service manager started. It must not end with success because another
    /// daemon serves the home: the manager takes that for a violation of its protocol, as the process
    /// never said that it is ready. And with the manager's socket a connection proves nothing, since
    /// that socket accepts connections by itself.
    pub(crate) fn claim_alone(home: &Home, timeout: Duration) -> Result<HomeLock, InstanceError> {
        poll(home, timeout, || Ok(HomeLock::try_take(&home.lock())?)).map_err(|error| match error {
            InstanceError::NotReady { path, pid, seconds } => {
                InstanceError::Held { path, pid, seconds }
            }
            error => error,
        })
    }
}

fn poll<T>(
    home: &Home,
    timeout: Duration,
    mut attempt: impl FnMut() -> Result<Option<T>, InstanceError>,
) -> Result<T, InstanceError> {
    // Polled, since no single wait covers both ways out: the lock released, the socket listening.
    let deadline = Instant::now() + timeout;
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(result) = attempt()? {
            return Ok(result);
        }
        if Instant::now() >= deadline {
            return Err(InstanceError::NotReady {
                path: home.lock(),
                pid: known_pid(home),
                seconds: timeout.as_secs(),
            });
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn process(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

fn known_pid(home: &Home) -> Option<u32> {
    DaemonInfo::read(&home.daemon()).map(|info| info.pid)
}

#[cfg(test)]
mod tests;
