//! A command that was started.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::capture::{Capture, Section, Window};
use crate::job::{Exit, STOP};

/// A command from its start to its end. The command ends with the last clone of its handle.
#[derive(Debug, Clone)]
pub struct Run {
    shared: Arc<Shared>,
    handle: Arc<Handle>,
}

/// Stops the command when nobody is interested in it any more.
#[derive(Debug)]
struct Handle(Arc<Control>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What the run's thread and its handles share.
#[derive(Debug)]
pub(crate) struct Shared {
    capture: Mutex<Capture>,
    progress: watch::Sender<Progress>,
}

/// How far a run is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    bytes: u64,
    pub(crate) end: Option<End>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub cause: EndCause,
    /// How the shell did, if it is known.
    pub exit: Option<Exit>,
    /// From the start to the end of the last process.
    pub duration: Duration,
    /// How many processes did not end by themselves.
    pub signalled: u32,
    /// How many processes could not be ended.
    pub survivors: u32,
    /// Whether places that the sandbox protects or guards could be changed after all.
    pub unprotected: bool,
    /// The guarded places, below the guard's directory, that the command had changed, made or
    /// removed, and that are as before now. At most 100.
    pub restored: Vec<String>,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndCause {
    /// The shell ended by itself.
    Exited,
    /// At the time limit.
    TimedOut,
    /// Because it was asked to.
    Stopped,
    /// The command could not be started.
    NotStarted(String),
    /// Somebody ended or stopped its supervisor. What was left was ended.
    SupervisorLost,
}

impl Run {
    pub(crate) fn new(shared: Arc<Shared>, control: Arc<Control>) -> Self {
        Self {
            shared,
            handle: Arc::new(Handle(control)),
        }
    }

    /// Asks everything that runs to end, and ends it soon afterwards if it does not. Returns at
    /// once.
    pub fn stop(&self) {
        self.handle.0.stop();
    }

    /// How the run ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<End> {
        self.shared.progress.borrow().end.clone()
    }

    /// Waits for the end.
    pub async fn wait(&self) -> End {
        let mut progress = self.shared.progress.subscribe();
        let ended = progress.wait_for(|progress| progress.end.is_some()).await;
        let end = ended.ok().and_then(|progress| progress.end.clone());
        end.expect("the sender is part of this handle, and the end was waited for")
    }

    /// Waits until more than `bytes` have come out, or for the end.
    pub async fn wait_for_output(&self, bytes: u64) {
        let mut progress = self.shared.progress.subscribe();
        let is_more = |progress: &Progress| progress.bytes > bytes || progress.end.is_some();
        // The sender is part of this handle.
        let _never_fails = progress.wait_for(is_more).await.is_ok();
    }

    /// How many bytes and line ends have come out.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let capture = self.shared.capture();
        (capture.bytes(), capture.lines())
    }

    /// At most `head` bytes of the beginning and `tail` of the end of the output.
    #[must_use]
    pub fn window(&self, head: usize, tail: usize) -> Window {
        self.shared.capture().window(head, tail)
    }

    /// At most `limit` bytes of the output from the byte `since` on.
    #[must_use]
    pub fn section(&self, since: u64, limit: usize) -> Section {
        self.shared.capture().section(since, limit)
    }

    /// The whole output up to a bound of 8 MiB, and whether that was reached; `None` if the output
    /// is small or nothing was kept. Blocks on a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn whole_output(&self) -> io::Result<Option<(Vec<u8>, bool)>> {
        self.shared.capture().whole()
    }
}

impl Shared {
    pub(crate) fn new(capture: Capture) -> Self {
        Self {
            capture: Mutex::new(capture),
            progress: watch::Sender::default(),
        }
    }

    pub(crate) fn push(&self, chunk: &[u8]) {
        let bytes = {
            let mut capture = self.capture();
            capture.push(chunk);
            capture.bytes()
        };
        self.progress.send_modify(|progress| progress.bytes = bytes);
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    pub(crate) fn finish(&self, end: End) {
        self.progress
            .send_modify(|progress| progress.end = Some(end));
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The daemon's end of the pipe to the supervisor. When it closes, the supervisor kills.
#[derive(Debug, Default)]
pub(crate) struct Control {
    pipe: Mutex<Option<File>>,
    is_stopping: AtomicBool,
    /// Tells the run's thread.
    #[cfg(target_os = "linux")]
    wake: Option<nix::sys::eventfd::EventFd>,
}

impl Control {
    #[cfg(target_os = "linux")]
    pub(crate) fn new() -> io::Result<Self> {
        use nix::sys::eventfd::{EfdFlags, EventFd};
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Ok(Self {
            wake: Some(EventFd::from_flags(flags)?),
            ..Self::default()
        })
    }

    /// The pipe of a supervisor that has its job.
    pub(crate) fn connect(&self, pipe: File) {
        *self.pipe() = Some(pipe);
        if self.is_stopping() {
            self.ask();
        }
    }

    /// Lets the supervisor go.
    pub(crate) fn disconnect(&self) {
        *self.pipe() = None;
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    pub(crate) fn stop(&self) {
        if !self.is_stopping.swap(true, Ordering::AcqRel) {
            self.ask();
        }
    }

    fn ask(&self) {
        use std::io::Write as _;
        if let Some(pipe) = &mut *self.pipe() {
            // A supervisor that is gone has nothing to stop.
            let _ignored: io::Result<()> = pipe.write_all(&[STOP]);
        }
        #[cfg(target_os = "linux")]
        if let Some(wake) = &self.wake {
            // It fails only if the thread has been told very often already.
            let _ignored = wake.write(1);
        }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn wake(&self) -> Option<&nix::sys::eventfd::EventFd> {
        self.wake.as_ref()
    }

    fn pipe(&self) -> MutexGuard<'_, Option<File>> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
