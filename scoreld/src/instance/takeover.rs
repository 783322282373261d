//! Taking a home over from the daemon that serves it, for a start by a service manager.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use nix::unistd::{getpid, getppid};
use scorel_client::ClientError;
use scorel_home::{Home, HomeLock, LockError};
use scorel_proto::{DaemonManager, GetStatus, NoParams, Shutdown, ShutdownParams};

use super::info::{DaemonInfo, known_pid, process};
use super::poll::pauses;
use crate::daemon_call::{DaemonCall, listener};
use crate::service::ServiceManager;

/// How long the holder may be silent.
const SILENCE: Duration = Duration::from_secs(10);

/// By how much the manager is asked to wait longer than for the holder: for the start itself.
const START: Duration = Duration::from_secs(20);

/// Why the home was not taken over. The daemon that holds it was left alone, or has been asked to end
/// and did not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TakeoverError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(
        "another scoreld{} holds {path} and was silent for {seconds} s; end it, then start the service again",
        process(*pid)
    )]
    Silent {
        path: PathBuf,
        /// From `daemon.json`, for messages only.
        pid: Option<u32>,
        seconds: u64,
    },
    #[error(
        "another scoreld (pid {pid}) holds {path}, and {} runs it: stop that service first",
        manager.name()
    )]
    Managed {
        path: PathBuf,
        pid: u32,
        manager: DaemonManager,
    },
    #[error(
        "another scoreld{} holds {path} and refused to end: {reason}; stop it (`scorelctl stop`), then start the service again",
        process(*pid)
    )]
    Refused {
        path: PathBuf,
        pid: Option<u32>,
        reason: String,
    },
}

/// A takeover. A holder that was started by hand is asked to park its turns and to end; one that is a
/// service, or that gives no sign of life, keeps the home.
#[derive(Debug)]
pub(crate) struct Takeover<'a> {
    home: &'a Home,
    service: &'a ServiceManager,
    /// Whether the manager passed a socket, which may have taken the path of the holder's.
    has_socket: bool,
    deadline: Instant,
    /// The process whose `daemon.json` has said how long its end takes.
    told: Option<u32>,
}

impl<'a> Takeover<'a> {
    pub(crate) fn new(home: &'a Home, service: &'a ServiceManager, has_socket: bool) -> Self {
        Self {
            home,
            service,
            has_socket,
            deadline: Instant::now() + SILENCE,
            told: None,
        }
    }

    /// Takes the lock, from its holder if need be. Blocks.
    pub(crate) fn take(mut self) -> Result<HomeLock, TakeoverError> {
        if let Some(lock) = self.try_lock()? {
            return Ok(lock);
        }
        let reachable = !(self.has_socket && self.leads_to_manager());
        for pause in pauses() {
            if let Some(lock) = self.try_lock()? {
                self.service.starting("starting", START);
                return Ok(lock);
            }
            if reachable {
                self.ask_holder()?;
            }
            self.listen_to_holder();
            if Instant::now() >= self.deadline {
                break;
            }
            thread::sleep(pause);
        }
        Err(TakeoverError::Silent {
            path: self.home.lock(),
            pid: known_pid(self.home),
            seconds: SILENCE.as_secs(),
        })
    }

    fn try_lock(&self) -> Result<Option<HomeLock>, LockError> {
        HomeLock::try_take(&self.home.lock())
    }

    /// Whether the home's socket is that of the manager, or this process's: then the holder cannot be
    /// asked. It finds that out by itself, parks its turns and ends. The kernel names the process that
    /// listens.
    fn leads_to_manager(&self) -> bool {
        let own = [getpid().as_raw(), getppid().as_raw()];
        let listener = listener(self.home.socket()).ok().flatten();
        listener.is_some_and(|listener| own.contains(&listener))
    }

    /// Asks the holder to park its turns and to end. It is asked again until it has released the lock:
    /// it may be another one by then.
    fn ask_holder(&mut self) -> Result<(), TakeoverError> {
        let limit = self.deadline.saturating_duration_since(Instant::now());
        let Ok(holder) = DaemonCall::connect(self.home.socket(), limit) else {
            return Ok(());
        };
        let path = self.home.lock();
        let status = match holder.call::<GetStatus>(&NoParams {}) {
            Ok(status) => status,
            Err(ClientError::Rpc(error)) => {
                let (pid, reason) = (known_pid(self.home), error.message);
                return Err(TakeoverError::Refused { path, pid, reason });
            }
            // It is ending, or has not begun to serve, or hangs.
            Err(_) => return Ok(()),
        };
        let pid = status.pid;
        if status.manager != DaemonManager::None {
            let manager = status.manager;
            return Err(TakeoverError::Managed { path, pid, manager });
        }
        if !status.draining {
            let park = ShutdownParams { park: Some(true) };
            match holder.call::<Shutdown>(&park) {
                Err(ClientError::Rpc(error)) => {
                    let (pid, reason) = (Some(pid), error.message);
                    return Err(TakeoverError::Refused { path, pid, reason });
                }
                Err(_) => return Ok(()),
                Ok(_) => {}
            }
        }
        self.wait_for(pid, SILENCE);
        Ok(())
    }

    /// Extends the wait if the holder has announced how long its end may take: the only sign of life
    /// once its socket is gone. The file may be left over from another daemon; then it only prolongs the
    /// wait.
    fn listen_to_holder(&mut self) {
        let Some(info) = DaemonInfo::read(&self.home.daemon()) else {
            return;
        };
        let Some(within) = info.stopping_within else {
            return;
        };
        if self.told.replace(info.pid) != Some(info.pid) {
            self.wait_for(info.pid, Duration::from_millis(within));
        }
    }

    fn wait_for(&mut self, pid: u32, within: Duration) {
        self.deadline = self.deadline.max(Instant::now() + within);
        let status = format!("waiting for scoreld (pid {pid}), which parks its turns");
        self.service.starting(&status, within + START);
    }
}
