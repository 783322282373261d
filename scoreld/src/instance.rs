//! One daemon per home: claiming the lock, and waiting for its holder.

mod info;
mod poll;
mod takeover;

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use info::{DaemonInfo, PublishedInfo};
pub(crate) use takeover::{Takeover, TakeoverError};

use scorel_client::ClientError;
use scorel_home::{Home, HomeLock, LockError};
use scorel_proto::{Hello, HelloParams, ProtocolRange};

use crate::daemon_call::DaemonCall;
use info::{known_pid, process};
use poll::pauses;

/// How long another holder of the lock gets to become ready or to exit.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that the holder gets for one answer, before it is asked again.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// The outcome of a claim.
#[derive(Debug)]
pub(crate) enum Instance {
    /// This process may serve the home while it keeps the lock.
    Ours(HomeLock),
    /// Another process serves the home.
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
    /// Another process holds the lock and does not answer.
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
    /// answers, or exits and releases the lock. Blocks.
    ///
    /// Only the lock and an answer prove that a daemon lives. A recorded process id may have been reused,
    /// and a process that is being killed still holds the lock and the socket, as does a child of it that
    /// has not begun its program.
    pub(crate) fn claim(home: &Home, timeout: Duration) -> Result<Self, InstanceError> {
        let deadline = Instant::now() + timeout;
        for pause in pauses() {
            if let Some(lock) = HomeLock::try_take(&home.lock())? {
                return Ok(Self::Ours(lock));
            }
            if answers(home) {
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

/// A refusal is an answer too: of a daemon with another protocol.
fn answers(home: &Home) -> bool {
    let params = HelloParams {
        client_id: None,
        name: None,
        protocol: ProtocolRange::SUPPORTED,
    };
    let answer = DaemonCall::connect(home.socket(), ANSWER_TIME)
        .and_then(|daemon| daemon.call::<Hello>(&params));
    matches!(answer, Ok(_) | Err(ClientError::Rpc(_)))
}

#[cfg(test)]
mod tests;
