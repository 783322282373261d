//! Supervisors that are started before their commands are known.

#[cfg(target_os = "linux")]
use std::path::Path;
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

/// A run's work, on the thread of its standby supervisor. Gets `None` if that cannot be used, and starts
/// its own.
#[cfg(target_os = "linux")]
pub(crate) type RunTask = Box<dyn FnOnce(Option<SupervisorChild>) + Send>;

/// A supervisor that is started before the decision about its command.
///
/// It knows only which namespaces the command would get. All of them but the mount namespace already
/// exist, and a process waits in them. Neither runs anything before the order arrives, and dropping this
/// value ends them. Like every supervisor, this one ends with the daemon.
#[derive(Debug)]
pub struct Standby {
    #[cfg(target_os = "linux")]
    tasks: mpsc::Sender<RunTask>,
    #[cfg(target_os = "linux")]
    namespaces: Option<NamespaceJob>,
}

#[cfg(target_os = "linux")]
impl Standby {
    /// Starts a thread that starts the supervisor and later runs the command. One thread must do both:
    /// the parent-death signal fires when the forking *thread* ends.
    pub(crate) fn start(
        registry: Arc<RunRegistry>,
        namespaces: Option<NamespaceJob>,
        place: OwnedSemaphorePermit,
    ) -> std::io::Result<Self> {
        let (tasks, inbox) = mpsc::channel::<RunTask>();
        let wait = move || {
            let started = SupervisorChild::start(&registry, Path::new("/"), namespaces);
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

    /// Returns whether it has prepared what a command with these namespaces needs.
    pub(crate) fn fits(&self, namespaces: Option<NamespaceJob>) -> bool {
        self.namespaces == namespaces
    }

    /// Has the thread run a command. Gives the task back without a thread.
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
