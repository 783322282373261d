//! One daemon per home: claiming the lock, and waiting for its holder.

mod info;
mod poll;
mod takeover;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use info::{DaemonInfo, PublishedInfo};
pub(crate) use takeover::{Takeover, TakeoverError};

use scorel_host::{Home, HomeLock, LockError};

use info::{known_pid, process};
use poll::Pauses;

/// How long another holder of the lock gets to become ready or to exit.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_secs(10);

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
}

impl Instance {
    /// Takes the home's lock. If another process holds it, waits up to `timeout` until that process
    /// accepts connections, or exits and releases the lock. Blocks.
    ///
    /// Only the lock and a connection prove that a daemon lives: a recorded process id may have been
    /// reused.
    pub(crate) fn claim(home: &Home, timeout: Duration) -> Result<Self, InstanceError> {
        let deadline = Instant::now() + timeout;
        for pause in Pauses::new() {
            if let Some(lock) = HomeLock::try_take(&home.lock())? {
                return Ok(Self::Ours(lock));
            }
            if UnixStream::connect(home.socket()).is_ok() {
                let pid = known_pid(home);
                return Ok(Self::Other { pid });
            }
            if Instant::now() >= deadline {
                break;
            }
            thread::sleep(pause);
        }
        Err(InstanceError::NotReady {
            path: home.lock(),
            pid: known_pid(home),
            seconds: timeout.as_secs(),
        })
    }
}

#[cfg(test)]
mod tests;
