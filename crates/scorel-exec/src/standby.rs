//! Supervisors that are started before their commands are known.

use std::fmt;
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::sync::{Arc, mpsc};

#[cfg(target_os = "linux")]
use tokio::sync::OwnedSemaphorePermit;

#[cfg(target_os = "linux")]
use crate::job::NamespaceJob;
#[cfg(target_os = "linux")]
use crate::registry::RunRegistry;
#[cfg(target_os = "linux")]
use crate::supervisor_child::SupervisorChild;

/// Standbys that exist at a time. Each takes a thread of this process and two processes.
pub(crate) const MAX_STANDBYS: usize = 2;

/// What a thread does with a supervisor; without one if it has to start its own.
#[cfg(target_os = "linux")]
pub(crate) type RunTask = Box<dyn FnOnce(Option<SupervisorChild>) + Send>;

/// A supervisor that was started for a command which is not decided about yet.
///
/// It knows nothing of the command but which namespaces it would get. Those are made already, all but the
/// one of mounts, and a process waits in them. Until the order comes they run nothing, and dropping
/// this value ends them. Like every supervisor it ends with this process.
pub struct Standby {
    #[cfg(target_os = "linux")]
    tasks: mpsc::Sender<RunTask>,
    #[cfg(target_os = "linux")]
    namespaces: Option<NamespaceJob>,
}

impl fmt::Debug for Standby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standby").finish_non_exhaustive()
    }
}

#[cfg(target_os = "linux")]
impl Standby {
    /// Starts a thread that starts the supervisor, and later runs the command. It must be the same: the
    /// kernel tells a child about the end of the thread that has forked it.
    pub(crate) fn start(
        program: PathBuf,
        registry: Arc<RunRegistry>,
        namespaces: Option<NamespaceJob>,
        place: OwnedSemaphorePermit,
    ) -> std::io::Result<Self> {
        let (tasks, inbox) = mpsc::channel::<RunTask>();
        let wait = move || {
            let started = SupervisorChild::start(&program, &registry, Path::new("/"), namespaces);
            match (inbox.recv(), started) {
                (Ok(task), started) => {
                    drop(place);
                    task(started.ok().and_then(|started| started.if_alive(&registry)));
                }
                (Err(_), Ok(started)) => started.dismiss(&registry),
                (Err(_), Err(_)) => {}
            }
        };
        let thread = std::thread::Builder::new().name("scorel-run".to_owned());
        thread.spawn(wait)?;
        Ok(Self { tasks, namespaces })
    }

    /// Whether it has prepared what a command with these namespaces needs.
    pub(crate) fn fits(&self, namespaces: Option<NamespaceJob>) -> bool {
        self.namespaces == namespaces
    }

    /// Has the thread run a command. Gives the task back if there is no thread.
    fn run(self, task: RunTask) -> Result<(), RunTask> {
        self.tasks.send(task).map_err(|unsent| unsent.0)
    }
}

/// Runs a command on the thread of a standby, or else on a new one.
#[cfg(target_os = "linux")]
pub(crate) fn run_on(standby: Option<Standby>, task: RunTask) -> std::io::Result<()> {
    let left = match standby {
        Some(standby) => standby.run(task).err(),
        None => Some(task),
    };
    if let Some(task) = left {
        let thread = std::thread::Builder::new().name("scorel-run".to_owned());
        thread.spawn(move || task(None))?;
    }
    Ok(())
}
