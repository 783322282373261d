//! All commands of one process.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::capture::Capture;
use crate::job::Order;
use crate::run::{Control, Run, Shared};
use crate::support::Support;

/// Starts commands, and knows those that run.
///
/// The process becomes the one that orphans fall to, so that it can end what a command leaves
/// behind whose supervisor was killed.
#[derive(Debug)]
pub struct Supervisors {
    pub(crate) program: PathBuf,
    support: Support,
    live: Mutex<Live>,
}

/// What runs.
#[derive(Default)]
pub(crate) struct Live {
    is_closed: bool,
    last_id: u64,
    runs: HashMap<u64, (Arc<Shared>, Arc<Control>)>,
    /// The supervisors' processes.
    pub(crate) supervisors: HashSet<i32>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("runs", &self.runs.len())
            .finish_non_exhaustive()
    }
}

/// Why a command is not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No command is started any more.
    #[error("the daemon is stopping")]
    Closed,
    /// The sandbox was asked for, and the kernel has none.
    #[error("this kernel cannot keep commands in a sandbox")]
    NoSandbox,
    /// This system has no supervisors.
    #[error("commands cannot be supervised on this system")]
    Unsupported,
    /// The system refused.
    #[error("cannot start a supervisor: {0}")]
    System(#[from] io::Error),
}

impl Supervisors {
    /// The commands of this process, none yet.
    ///
    /// # Errors
    /// The process cannot become the one that orphans fall to.
    pub fn new() -> io::Result<Arc<Self>> {
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        Ok(Arc::new(Self {
            program: PathBuf::from("/proc/self/exe"),
            support: Support::probe(),
            live: Mutex::default(),
        }))
    }

    /// What the kernel can enforce.
    #[must_use]
    pub fn support(&self) -> Support {
        self.support
    }

    /// Starts a command in a directory. Returns before it runs: what goes wrong later is how the
    /// run ends.
    ///
    /// # Errors
    /// It cannot be started now, or not in this sandbox.
    pub fn start(
        self: &Arc<Self>,
        order: Order,
        directory: BorrowedFd<'_>,
    ) -> Result<Run, StartError> {
        if order.sandbox.is_some() && !self.support.is_enough() {
            return Err(StartError::NoSandbox);
        }
        self.launch(order, directory)
    }

    #[cfg(target_os = "linux")]
    fn launch(
        self: &Arc<Self>,
        order: Order,
        directory: BorrowedFd<'_>,
    ) -> Result<Run, StartError> {
        let directory = directory.try_clone_to_owned()?;
        let capture = Capture::new(order.spool_dir.clone());
        let (shared, control) = (Arc::new(Shared::new(capture)), Arc::new(Control::new()?));
        let id = self.register(&shared, &control)?;
        let pump = crate::pump::Pump {
            supervisors: Arc::clone(self),
            shared: Arc::clone(&shared),
            control: Arc::clone(&control),
        };
        let run = move || {
            let (supervisors, shared) = (Arc::clone(&pump.supervisors), Arc::clone(&pump.shared));
            let end = pump.run(order, directory);
            supervisors.live().runs.remove(&id);
            shared.finish(end);
        };
        let thread = std::thread::Builder::new().name("scorel-run".to_owned());
        if let Err(error) = thread.spawn(run) {
            self.live().runs.remove(&id);
            return Err(error.into());
        }
        Ok(Run::new(shared, control))
    }

    #[cfg(not(target_os = "linux"))]
    fn launch(self: &Arc<Self>, _: Order, _: BorrowedFd<'_>) -> Result<Run, StartError> {
        Err(StartError::Unsupported)
    }

    fn register(&self, shared: &Arc<Shared>, control: &Arc<Control>) -> Result<u64, StartError> {
        let mut live = self.live();
        if live.is_closed {
            return Err(StartError::Closed);
        }
        live.last_id += 1;
        let id = live.last_id;
        live.runs
            .insert(id, (Arc::clone(shared), Arc::clone(control)));
        Ok(id)
    }

    /// Ends every command and starts none any more. Says whether all had ended in time.
    pub async fn close(&self, limit: Duration) -> bool {
        let runs: Vec<_> = {
            let mut live = self.live();
            live.is_closed = true;
            live.runs.values().cloned().collect()
        };
        for (_, control) in &runs {
            control.stop();
        }
        let deadline = Instant::now() + limit;
        let mut all_ended = true;
        for (shared, _) in &runs {
            let mut progress = shared.subscribe();
            let ended = progress.wait_for(|progress| progress.end.is_some());
            all_ended &= timeout_at(deadline, ended).await.is_ok();
        }
        all_ended
    }

    /// How many commands run.
    #[must_use]
    pub fn count(&self) -> usize {
        self.live().runs.len()
    }

    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
