//! One daemon for each home: the lock, and what is known about its holder.

mod info;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use info::{DaemonInfo, PublishedInfo};

use scorel_host::{Home, HomeLock, LockError};

/// How long the holder of the lock may take until it answers.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_secs(10);

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Who serves the home.
#[derive(Debug)]
pub(crate) enum Instance {
    /// This process, as long as it keeps the lock.
    Ours(HomeLock),
    /// Another process, which accepts connections.
    Other {
        /// Its process as it described itself. For people to read: nothing is ever sent to it.
        pid: Option<u32>,
    },
}

/// Why nobody can be said to serve the home.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstanceError {
    /// The lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Another process holds the lock and does not listen.
    #[error(
        "another scoreld{} holds {path}; it neither became ready nor ended within {seconds} s; see its log, or stop it and try again",
        pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
    )]
    NotReady {
        /// The lock.
        path: PathBuf,
        /// Its process as it described itself.
        pid: Option<u32>,
        /// How long it was given.
        seconds: u64,
    },
}

impl Instance {
    /// Takes the home's lock. If another process has it, waits until that process accepts
    /// connections, or ends and leaves the lock to this one, for at most `timeout`. Blocks.
    ///
    /// Whether a daemon lives is decided by the lock and by a connection, never by a process id
    /// that somebody wrote down.
    ///
    /// # Errors
    /// The lock cannot be taken, or its holder is not ready in time.
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

    /// Takes the home's lock, and waits for at most `timeout` until another process leaves it.
    /// Blocks. For a process that was given the home's socket: that the socket accepts connections
    /// says nothing about the other process then.
    ///
    /// # Errors
    /// The lock cannot be taken, or its holder does not leave in time.
    pub(crate) fn claim_alone(home: &Home, timeout: Duration) -> Result<HomeLock, InstanceError> {
        poll(home, timeout, || Ok(HomeLock::try_take(&home.lock())?))
    }
}

fn poll<T>(
    home: &Home,
    timeout: Duration,
    mut attempt: impl FnMut() -> Result<Option<T>, InstanceError>,
) -> Result<T, InstanceError> {
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

fn known_pid(home: &Home) -> Option<u32> {
    DaemonInfo::read(&home.daemon()).map(|info| info.pid)
}

#[cfg(test)]
mod tests;
