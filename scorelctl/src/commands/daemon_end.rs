//! Waiting until a daemon has ended, and ending one that has no socket or does not respond.

use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::time::{sleep, timeout};

use crate::daemon::LocalDaemon;
use crate::daemon_info::stopping_within;
use crate::daemon_lock::DaemonLock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The time that a daemon may take to answer. The calls made here wait for no session and no model: a daemon
/// that takes longer hangs, or is about to end.
const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// The time in which a daemon that did not answer has to end by a signal, or to announce the time that it
/// needs.
const SIGNAL_PATIENCE: Duration = Duration::from_secs(10);

/// The time that the kernel may take to end a killed process. A process that waits for a disk takes longest.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// The time that a daemon may take to end its turns. Longer than its grace period for them.
const STOP_PATIENCE: Duration = Duration::from_secs(60);

/// The time that a daemon may take to park its turns. Longer than the greatest `[service] parkSeconds`.
const PARK_PATIENCE: Duration = Duration::from_secs(700);

/// The number of attempts, and the pause between them, while the daemon is found in the middle of its end.
const ENDING_ATTEMPTS: u32 = 5;
const ENDING_PAUSE: Duration = Duration::from_millis(100);

/// The interval at which the lock is polled.
const INTERVAL: Duration = Duration::from_millis(10);

/// After how many polls the holder is looked up, which reads all of `/proc`.
const POLLS_BEFORE_SEARCH: u32 = 50;

/// Repeats `attempt` while the daemon is unreachable although it runs: one that is ending by itself, or was
/// killed just now, takes the connection with it.
pub(super) async fn unless_ending<T>(
    mut attempt: impl AsyncFnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    for _ in 1..ENDING_ATTEMPTS {
        match attempt().await {
            Err(Failure::Report(report)) if report.exit == Exit::Unreachable => {
                sleep(ENDING_PAUSE).await;
            }
            ended => return ended,
        }
    }
    attempt().await
}

/// The end of the daemon that holds a home's lock.
pub(super) struct DaemonEnd {
    lock: DaemonLock,
    /// The path of `daemon.json`.
    info: PathBuf,
    signal: Signal,
    patience: Duration,
}

impl DaemonEnd {
    /// An end that cancels its turns.
    pub(super) fn cancelling(link: &LocalDaemon) -> Self {
        Self {
            lock: DaemonLock::new(link.home().daemon_lock()),
            info: link.home().daemon_info(),
            signal: Signal::SIGINT,
            patience: STOP_PATIENCE,
        }
    }

    /// An end that parks its turns.
    pub(super) fn parking(link: &LocalDaemon) -> Self {
        Self {
            signal: Signal::SIGTERM,
            patience: PARK_PATIENCE,
            ..Self::cancelling(link)
        }
    }

    /// Ends a daemon that cannot be reached by its socket. Returns its process; `None` if none is running.
    pub(super) fn signal(&self) -> Result<Option<u32>, Failure> {
        if !self.lock.is_held()? {
            return Ok(None);
        }
        if let Some(pid) = self.lock.signal_holder(self.signal)? {
            return Ok(Some(pid));
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

    /// The answer of a daemon to a call; `None` if it does not respond.
    pub(super) async fn answer<T>(
        &self,
        call: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Option<T>, Failure> {
        timeout(ANSWER_PATIENCE, call).await.ok().transpose()
    }

    /// The process that holds the lock; `None` if it is not known.
    pub(super) fn holder(&self) -> Result<Option<u32>, Failure> {
        Ok(self.lock.holder()?)
    }

    /// Ends a daemon that does not respond: by its signal, and if it does not obey that, by killing it. One
    /// that was only suspended ends its turns first, as long as it has announced. `None` if it has ended
    /// meanwhile.
    pub(super) async fn force(&self, output: &mut Output) -> Result<Option<u32>, Failure> {
        output.note("the daemon does not respond; it is sent a signal to end")?;
        let Some(pid) = self.signal()? else {
            return Ok(None);
        };
        // A suspended process handles no other signal before this one.
        self.lock.signal_holder(Signal::SIGCONT)?;
        if self.has_gone(pid, SIGNAL_PATIENCE).await? {
            return Ok(Some(pid));
        }
        if let Some(within) = stopping_within(&self.info, pid) {
            output.note(&format!("the daemon (process {pid}) is ending its turns"))?;
            if self.has_gone(pid, within.min(self.patience)).await? {
                return Ok(Some(pid));
            }
        }
        output.note(&format!(
            "the daemon (process {pid}) ignored the signal and is killed; the next daemon recovers its \
             sessions"
        ))?;
        self.lock.signal_holder(Signal::SIGKILL)?;
        if self.has_gone(pid, KILL_PATIENCE).await? {
            return Ok(Some(pid));
        }
        Err(not_in_time(pid))
    }

    /// Waits until the daemon, which is process `pid`, has released its lock.
    pub(super) async fn wait(&self, pid: u32) -> Result<(), Failure> {
        if self.has_gone(pid, self.patience).await? {
            Ok(())
        } else {
            Err(not_in_time(pid))
        }
    }

    /// Returns whether the daemon, which is process `pid`, releases its lock in time.
    async fn has_gone(&self, pid: u32, patience: Duration) -> Result<bool, Failure> {
        let gone = async {
            loop {
                for _ in 0..POLLS_BEFORE_SEARCH {
                    if !self.lock.is_held()? {
                        return Ok(());
                    }
                    sleep(INTERVAL).await;
                }
                // Another daemon may have taken the lock between two polls.
                if self.holder()?.is_some_and(|holder| holder != pid) {
                    return Ok(());
                }
            }
        };
        match timeout(patience, gone).await {
            Ok(gone) => gone.map(|()| true),
            Err(_) => Ok(false),
        }
    }
}

fn not_in_time(pid: u32) -> Failure {
    let message = format!("the daemon (process {pid}) did not exit in time");
    Failure::new(Exit::Internal, "timeout", message)
}
