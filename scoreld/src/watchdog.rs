//! Ends a daemon that hangs. It serves nothing, hears no signal, and keeps its home from another one.
//!
//! Two threads of their own, since what hangs cannot tell. The *turns* thread takes the locks that
//! every read takes, has the runtime run a task, and then tells the service manager that the daemon
//! lives. The *watch* thread asks for a turn at intervals and blocks on nothing. If some intervals in a
//! row pass without the turn's end, it says in the log where the turn is, and exits.
//!
//! It counts intervals that this process has lived through, not time. One that was suspended, or
//! gets no processor, lives through few of them. No lock of a turn is held while a disk works, but a
//! worker of the runtime may be in a write that a disk keeps waiting: such intervals do not count.

mod disk_wait;

use std::process;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use std::{fmt, io};

use scorel_proto::SessionId;
use tokio::runtime::Handle;
use tracing::error;

use crate::exit::DaemonExit;
use crate::service::ManagerWatchdog;
use disk_wait::waits_for_disk;

/// The longest interval between two turns.
const INTERVAL: Duration = Duration::from_secs(5);

/// The shortest one, whatever the manager's period is.
const SHORTEST: Duration = Duration::from_millis(10);

/// After how many intervals without the end of a turn the daemon hangs.
const MISSED: u32 = 4;

/// The divisor of a manager's watchdog interval: the line in the log has to come before the
/// manager's signal.
const PER_PERIOD: u32 = MISSED + 2;

/// The tasks of a turn, one after another: about as many as a call has to wait for. The runtime that has a
/// worker left at times runs one soon, and answers no call for minutes.
const HOPS: usize = 8;

/// The time that the last line gets to reach the log.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Never counted down to nothing.
const NO_END: u32 = u32::MAX;

/// The thing that a turn waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchedPlace {
    SessionMap,
    Session(SessionId),
    Runtime,
}

impl fmt::Display for WatchedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SessionMap => f.write_str("the map of sessions stays locked"),
            Self::Session(id) => write!(f, "the state of session {id} stays locked"),
            Self::Runtime => f.write_str("the runtime runs no task"),
        }
    }
}

/// Watches the process until its end.
#[derive(Debug, Clone)]
pub(crate) struct Watchdog {
    interval: Duration,
    state: Arc<WatchState>,
}

#[derive(Debug)]
struct WatchState {
    /// Turns that have come to their end.
    turns: AtomicU64,
    /// Where the last one is.
    place: Mutex<WatchedPlace>,
    /// Intervals that the daemon has left to stop.
    left: AtomicU32,
}

impl Watchdog {
    /// `try_locks` takes the locks of the sessions, and says before each which it is. `stop_time` is how long
    /// a stop may take, once it was asked for: the runtime may hang before it gets to
    /// [`Watchdog::stopping`].
    pub(crate) fn start(
        manager: Option<ManagerWatchdog>,
        runtime: &Handle,
        try_locks: impl Fn(&dyn Fn(WatchedPlace)) + Send + 'static,
        stop_time: impl Fn() -> Option<Duration> + Send + 'static,
    ) -> io::Result<Self> {
        let interval = manager.as_ref().map(|it| it.period / PER_PERIOD);
        let interval = interval.map_or(INTERVAL, |it| it.clamp(SHORTEST, INTERVAL));
        let lives = move || {
            if let Some(manager) = &manager {
                manager.keep_alive();
            }
        };
        Self::with_interval(interval, runtime, try_locks, stop_time, lives)
    }

    /// `lives` is called after each turn.
    fn with_interval(
        interval: Duration,
        runtime: &Handle,
        try_locks: impl Fn(&dyn Fn(WatchedPlace)) + Send + 'static,
        stop_time: impl Fn() -> Option<Duration> + Send + 'static,
        lives: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let watchdog = Self {
            interval,
            state: Arc::new(WatchState {
                turns: AtomicU64::new(0),
                place: Mutex::new(WatchedPlace::SessionMap),
                left: AtomicU32::new(NO_END),
            }),
        };
        let (ask, asked) = sync_channel(1);
        let (state, runtime) = (Arc::clone(&watchdog.state), runtime.clone());
        let take_turns = move || {
            while asked.recv().is_ok() {
                state.take_turn(&runtime, &try_locks);
                lives();
            }
        };
        thread::Builder::new()
            .name("turns".to_owned())
            .spawn(take_turns)?;
        let watch = watchdog.clone();
        thread::Builder::new()
            .name("watchdog".to_owned())
            .spawn(move || watch.watch(&ask, &stop_time))?;
        Ok(watchdog)
    }

    /// The daemon stops, which takes `within` at most.
    pub(crate) fn stopping(&self, within: Duration) {
        let intervals = within.as_millis() / self.interval.as_millis();
        let left = u32::try_from(intervals).unwrap_or(NO_END);
        self.state
            .left
            .store(left.saturating_add(MISSED), Ordering::Relaxed);
    }

    fn watch(&self, ask: &SyncSender<()>, stop_time: &dyn Fn() -> Option<Duration>) {
        let (mut seen, mut missed) = (0, 0);
        loop {
            // Full while the last turn has not even begun.
            let _asked = ask.try_send(());
            thread::sleep(self.interval);
            let turns = self.state.turns.load(Ordering::Acquire);
            let place = *self.state.place();
            if turns != seen {
                (seen, missed) = (turns, 0);
            } else if place != WatchedPlace::Runtime || !waits_for_disk() {
                missed += 1;
            }
            if missed >= MISSED {
                end(&place.to_string());
            }
            if self.state.left.load(Ordering::Relaxed) == NO_END
                && let Some(within) = stop_time()
            {
                self.stopping(within);
            }
            if self.state.is_late() {
                end("it has not stopped in time");
            }
        }
    }
}

/// Takes the locks of every read, and names each before it.
type TryLocks = dyn Fn(&dyn Fn(WatchedPlace));

impl WatchState {
    fn place(&self) -> MutexGuard<'_, WatchedPlace> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_turn(&self, runtime: &Handle, try_locks: &TryLocks) {
        try_locks(&|place| *self.place() = place);
        *self.place() = WatchedPlace::Runtime;
        for _ in 0..HOPS {
            // In a task: a timer would fire while every worker hangs. Fails only when the runtime ends.
            let _ran = runtime.block_on(runtime.spawn(async {}));
        }
        self.turns.fetch_add(1, Ordering::Release);
    }

    /// Counts an interval of a daemon that stops.
    fn is_late(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left != NO_END {
            self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        }
        left == 0
    }
}

/// In a thread of its own, since the log may hang as well.
#[expect(clippy::exit, reason = "what hangs cannot return")]
fn end(problem: &str) -> ! {
    let text = format!("the daemon hangs and ends itself: {problem}");
    let said = thread::Builder::new().spawn(move || {
        error!("{text}");
        thread::sleep(LAST_WORDS);
        process::exit(i32::from(DaemonExit::Hung.code()))
    });
    if said.is_ok() {
        thread::sleep(LAST_WORDS * 4);
    }
    process::abort()
}

#[cfg(test)]
mod tests;
