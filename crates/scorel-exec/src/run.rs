//! The handle of a started command, and the state that its thread shares with it.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::capture::{OutputCapture, OutputSection, OutputWindow};
use crate::job::{GO, KILL, STOP, ShellExit};
use crate::limits::{LimitKind, ReachedLimit};

/// A started command. Dropping the last clone stops it.
#[derive(Debug, Clone)]
pub struct Run {
    state: Arc<RunState>,
    stop: Arc<StopOnDrop>,
}

#[derive(Debug)]
struct StopOnDrop(Arc<RunControl>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Shared by the run's thread, which writes, and its handles, which read.
#[derive(Debug)]
pub(crate) struct RunState {
    capture: Mutex<OutputCapture>,
    progress: watch::Sender<RunProgress>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RunProgress {
    /// Output so far.
    bytes: u64,
    /// The paths that were restored so far.
    restored: Vec<String>,
    pub(crate) end: Option<RunEnd>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    pub cause: EndCause,
    /// `None` if the shell was not started or its supervisor was killed first.
    pub exit: Option<ShellExit>,
    /// From the [start](crate::HeldRun::start) until the last process had ended.
    pub duration: Duration,
    /// Processes that did not end by themselves.
    pub signalled: u32,
    /// Processes that could not be killed.
    pub survivors: u32,
    /// True if changes of guarded places may have stayed.
    pub unprotected: bool,
    /// Guarded places that were changed and put back, relative to [`Guard::root`], absolute in its
    /// [`others`](crate::Guard::others); at most 100 of each guard.
    ///
    /// [`Guard::root`]: crate::Guard::root
    pub restored: Vec<String>,
    /// The limit that ended the command, or that made one of its processes fail.
    pub limit: Option<ReachedLimit>,
    /// Tasks in which the supervisor failed, to measure, kill or restore: the command may have left processes or
    /// changes of protected files.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndCause {
    /// The shell exited or was killed by a signal of the command's own.
    Exited,
    TimedOut,
    /// [`Run::stop`] was called, or the last handle was dropped.
    Stopped,
    /// With the reason.
    NotStarted(String),
    /// The supervisor was killed, or stopped and did not react. The command's processes were killed
    /// by the daemon.
    SupervisorLost,
}

impl Run {
    pub(crate) fn new(state: Arc<RunState>, control: Arc<RunControl>) -> Self {
        Self {
            state,
            stop: Arc::new(StopOnDrop(control)),
        }
    }

    /// Lets the command start as soon as it is prepared.
    pub(crate) fn release(&self) {
        self.stop.0.release();
    }

    /// Sends SIGTERM to all processes of the command, and SIGKILL a second later. Returns at once.
    pub fn stop(&self) {
        self.stop.0.stop();
    }

    /// `None` while the command runs.
    pub fn ended(&self) -> Option<RunEnd> {
        self.state.progress.borrow().end.clone()
    }

    /// Guarded places that were put back so far, as in [`RunEnd::restored`].
    pub fn restored(&self) -> Vec<String> {
        let progress = self.state.progress.borrow();
        let end = progress.end.as_ref().map(|end| &end.restored);
        end.unwrap_or(&progress.restored).clone()
    }

    /// Waits until no process of the command is left.
    pub async fn wait(&self) -> RunEnd {
        let mut progress = self.state.progress.subscribe();
        let ended = progress.wait_for(|progress| progress.end.is_some()).await;
        let end = ended.ok().and_then(|progress| progress.end.clone());
        end.expect("the sender is part of this handle, and the end was waited for")
    }

    /// Waits until there are more than `bytes` of output, or for the end.
    pub async fn wait_for_output(&self, bytes: u64) {
        let mut progress = self.state.progress.subscribe();
        let is_more = |progress: &RunProgress| progress.bytes > bytes || progress.end.is_some();
        // The sender is part of this handle.
        let _never_fails = progress.wait_for(is_more).await.is_ok();
    }

    /// Bytes and line feeds of output so far.
    pub fn counts(&self) -> (u64, u64) {
        let capture = self.state.capture();
        (capture.bytes, capture.lines)
    }

    /// At most `head` bytes of the beginning and `tail` bytes of the end of the output.
    pub fn window(&self, head: usize, tail: usize) -> OutputWindow {
        self.state.capture().window(head, tail)
    }

    /// At most `limit` bytes of the output from offset `since` on.
    pub fn section(&self, since: u64, limit: usize) -> OutputSection {
        self.state.capture().section(since, limit)
    }

    /// The spooled output, at most 8 MiB, and whether there was more; `None` if nothing was spooled,
    /// because all of the output fits in memory or for want of a spool directory. Blocks on a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn whole_output(&self) -> io::Result<Option<(Vec<u8>, bool)>> {
        self.state.capture().whole()
    }
}

impl RunState {
    pub(crate) fn new(capture: OutputCapture) -> Self {
        Self {
            capture: Mutex::new(capture),
            progress: watch::Sender::default(),
        }
    }

    pub(crate) fn push(&self, chunk: &[u8]) {
        let bytes = {
            let mut capture = self.capture();
            capture.push(chunk);
            capture.bytes
        };
        self.progress.send_modify(|progress| progress.bytes = bytes);
    }

    pub(crate) fn restored(&self, paths: Vec<String>) {
        self.progress.send_modify(|progress| {
            for path in paths {
                if !progress.restored.contains(&path) {
                    progress.restored.push(path);
                }
            }
        });
    }

    pub(crate) fn restored_so_far(&self) -> Vec<String> {
        self.progress.borrow().restored.clone()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<RunProgress> {
        self.progress.subscribe()
    }

    pub(crate) fn finish(&self, end: RunEnd) {
        self.progress
            .send_modify(|progress| progress.end = Some(end));
    }

    /// Returns whether this text is in the output that is in memory.
    pub(crate) fn has_output(&self, text: &[u8]) -> bool {
        self.capture().contains(text)
    }

    fn capture(&self) -> MutexGuard<'_, OutputCapture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The daemon's end of the control pipe. When it closes, the supervisor kills the command.
#[derive(Debug, Default)]
pub(crate) struct RunControl {
    /// `None` before the supervisor has its job and after it has ended.
    pipe: Mutex<Option<File>>,
    /// When the command was allowed to start.
    released: OnceLock<Instant>,
    is_stopping: AtomicBool,
    /// The limit for which the daemon ends the command.
    reached: OnceLock<LimitKind>,
    /// Wakes the run's thread from `poll`, so that it computes its timeout again: how long it waits for
    /// the supervisor depends on the orders that the supervisor got.
    #[cfg(target_os = "linux")]
    wake: Option<nix::sys::eventfd::EventFd>,
}

impl RunControl {
    #[cfg(target_os = "linux")]
    pub(crate) fn new() -> io::Result<Self> {
        use nix::sys::eventfd::{EfdFlags, EventFd};
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Ok(Self {
            wake: Some(EventFd::from_flags(flags)?),
            ..Self::default()
        })
    }

    /// Passes on what came before there was a pipe.
    pub(crate) fn connect(&self, pipe: File) {
        *self.pipe() = Some(pipe);
        if self.released().is_some() {
            self.send(GO);
        }
        if self.is_stopping() {
            self.send(STOP);
        }
        if self.reached().is_some() {
            self.send(KILL);
        }
    }

    pub(crate) fn disconnect(&self) {
        *self.pipe() = None;
    }

    pub(crate) fn release(&self) {
        if self.released.set(Instant::now()).is_ok() {
            self.send(GO);
        }
    }

    pub(crate) fn released(&self) -> Option<Instant> {
        self.released.get().copied()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    pub(crate) fn stop(&self) {
        if !self.is_stopping.swap(true, Ordering::AcqRel) {
            self.send(STOP);
        }
    }

    /// Kills the command, which has reached a limit together with others.
    pub(crate) fn end_at(&self, limit: LimitKind) {
        if self.reached.set(limit).is_ok() {
            self.send(KILL);
        }
    }

    pub(crate) fn reached(&self) -> Option<LimitKind> {
        self.reached.get().copied()
    }

    /// Returns whether the command was told to end.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_stopping() || self.reached().is_some()
    }

    fn send(&self, order: u8) {
        use std::io::Write as _;
        if let Some(pipe) = &mut *self.pipe() {
            // Fails with EPIPE if the supervisor has ended: then so has the command.
            let _ignored: io::Result<()> = pipe.write_all(&[order]);
        }
        #[cfg(target_os = "linux")]
        if let Some(wake) = &self.wake {
            // Fails only when the counter overflows, and then the thread is awake.
            let _ignored = wake.write(1);
        }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn wake(&self) -> Option<&nix::sys::eventfd::EventFd> {
        self.wake.as_ref()
    }

    /// Takes what [`wake`](Self::wake) has told.
    #[cfg(target_os = "linux")]
    pub(crate) fn awake(&self) {
        // Fails if it was taken already.
        let _ignored = self.wake.as_ref().map(nix::sys::eventfd::EventFd::read);
    }

    fn pipe(&self) -> MutexGuard<'_, Option<File>> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
