//! Starting commands.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::cgroup::{CgroupDirectory, DelegatedGroup};
use crate::held_run::HeldRun;
use crate::order::CommandOrder;
use crate::piped_run::PipedRun;
use crate::registry::RunRegistry;
use crate::run::Run;
use crate::run_group::RunGroup;
use crate::sandbox::Sandbox;
use crate::shared_space::SharedSpace;
use crate::standby::{MAX_STANDBYS, Standby};
use crate::support::Support;
use crate::support_memory::SupportMemory;
use crate::surroundings::Surroundings;

/// Starts commands, each below a supervisor process, and ends them all.
///
/// There may be one of these in a process: it makes the process a subreaper and treats every child
/// in another session as an orphan.
#[derive(Debug)]
pub struct Supervisors {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "nothing is started")
    )]
    open_files: Option<u64>,
    /// Found out when it is first asked for.
    support: OnceLock<Support>,
    memory: Option<SupportMemory>,
    registry: Arc<RunRegistry>,
    /// `None` if supervisors measure what commands use.
    cgroup: Option<DelegatedGroup>,
    groups: AtomicU64,
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "nothing is started")
    )]
    standbys: Arc<Semaphore>,
}

/// The means by which a command is started.
#[derive(Debug, Default)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "nothing is started")
)]
struct Launch {
    standby: Option<Standby>,
    #[cfg(target_os = "linux")]
    pipes: Option<crate::child_pipes::ChildPipes>,
    /// See [`Supervisors::start_lasting`].
    lasts: bool,
}

/// The reason why a command is not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// [`Supervisors::close`] was called.
    #[error("the daemon is stopping")]
    Closed,
    /// The order has a sandbox, and the kernel cannot enforce one.
    #[error("this kernel cannot keep commands in a sandbox")]
    NoSandbox,
    /// Supervisors exist on Linux only.
    #[error("commands cannot be supervised on this system")]
    Unsupported,
    #[error("cannot start a supervisor: {0}")]
    System(#[from] io::Error),
    #[error("cannot make a loopback network for commands: {0}")]
    Space(#[source] io::Error),
}

impl Supervisors {
    /// `open_files` is the soft limit of open files that commands get; `None` gives them this
    /// process's. Programs that use `select(2)` break with a higher one than 1,024.
    ///
    /// # Errors
    /// The process cannot become a subreaper.
    pub fn new(open_files: Option<u64>) -> io::Result<Arc<Self>> {
        Self::remembering(open_files, None)
    }

    /// The same, with a memory of what the kernel supports.
    ///
    /// # Errors
    /// The process cannot become a subreaper.
    pub fn remembering(
        open_files: Option<u64>,
        memory: Option<SupportMemory>,
    ) -> io::Result<Arc<Self>> {
        // The children of a supervisor that is killed become children of this process and not of
        // init, so that they can be found and killed.
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        Ok(Arc::new(Self {
            open_files,
            support: OnceLock::new(),
            memory,
            registry: Arc::default(),
            cgroup: delegated_group(),
            groups: AtomicU64::new(0),
            standbys: Arc::new(Semaphore::new(MAX_STANDBYS)),
        }))
    }

    /// The support of the kernel. Blocks for some milliseconds where it is not known yet: the first caller
    /// finds it out, and others wait for that.
    pub fn support(&self) -> Support {
        let found = || Support::find(self.memory.as_ref());
        *self.support.get_or_init(found)
    }

    /// Makes a loopback network and a `/dev/shm` for commands that run at the same time. Blocks while
    /// the process that holds them starts.
    ///
    /// # Errors
    /// The kernel does not allow it ([`Support::spaces`]), or the process cannot be started.
    pub fn make_space(&self) -> Result<Arc<SharedSpace>, StartError> {
        if !self.support().spaces {
            return Err(StartError::NoSandbox);
        }
        let made = SharedSpace::make();
        made.map(Arc::new).map_err(StartError::Space)
    }

    /// Starts a command in a directory. Returns before the command runs; a later failure is the
    /// run's [`EndCause`](crate::EndCause).
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start(
        self: &Arc<Self>,
        order: CommandOrder,
        directory: BorrowedFd<'_>,
    ) -> Result<Run, StartError> {
        Ok(self.hold(None, order, directory)?.start())
    }

    /// The same for a command of the user's own, whose end is not to be forced if the daemon is killed: it
    /// goes on to its end or its time limit.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start_lasting(
        self: &Arc<Self>,
        order: CommandOrder,
        directory: BorrowedFd<'_>,
    ) -> Result<Run, StartError> {
        let launch = Launch {
            lasts: true,
            ..Launch::default()
        };
        Ok(self.launch(order, directory, launch)?.start())
    }

    /// Prepares a command in a directory without starting it. Uses the standby supervisor if its
    /// namespaces are those that the command needs. Returns before the preparation is done, as
    /// [`Self::start`] does.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn hold(
        self: &Arc<Self>,
        standby: Option<Standby>,
        order: CommandOrder,
        directory: BorrowedFd<'_>,
    ) -> Result<HeldRun, StartError> {
        let launch = Launch {
            standby,
            ..Launch::default()
        };
        self.launch(order, directory, launch)
    }

    /// The same with pipes to the command. Call it in a Tokio runtime with I/O.
    ///
    /// # Errors
    /// See [`StartError`].
    #[cfg(target_os = "linux")]
    pub fn start_piped(
        self: &Arc<Self>,
        order: CommandOrder,
        directory: BorrowedFd<'_>,
    ) -> Result<PipedRun, StartError> {
        use crate::child_pipes::ChildPipes;
        use nix::fcntl::OFlag;
        use nix::unistd::pipe2;
        use tokio::net::unix::pipe::{Receiver, Sender};

        let pipe = || pipe2(OFlag::O_CLOEXEC).map_err(io::Error::from);
        let [stdin, stdout, stderr] = [pipe()?, pipe()?, pipe()?];
        let pipes = ChildPipes {
            stdin: stdin.0,
            stdout: stdout.1,
            stderr: stderr.1,
        };
        let launch = Launch {
            pipes: Some(pipes),
            ..Launch::default()
        };
        Ok(PipedRun {
            stdin: Sender::from_owned_fd(stdin.1)?,
            stdout: Receiver::from_owned_fd(stdout.0)?,
            stderr: Receiver::from_owned_fd(stderr.0)?,
            run: self.launch(order, directory, launch)?.start(),
        })
    }

    /// There are no supervisors on this system.
    ///
    /// # Errors
    /// [`StartError::Unsupported`].
    #[cfg(not(target_os = "linux"))]
    pub fn start_piped(
        self: &Arc<Self>,
        _: CommandOrder,
        _: BorrowedFd<'_>,
    ) -> Result<PipedRun, StartError> {
        Err(StartError::Unsupported)
    }

    /// Starts a standby supervisor for a command that may follow, with a sandbox like this one or
    /// without one. Only the sandbox's network and namespaces matter; a standby is never in a
    /// [`SharedSpace`]. Returns at once. `None` if such a command could not be started, or too many
    /// supervisors stand by already.
    #[cfg(target_os = "linux")]
    pub fn stand_by(&self, sandbox: Option<Sandbox>) -> Option<Standby> {
        use crate::job::NamespaceJob;

        let sandbox = self.possible_sandbox(sandbox).ok()?;
        let namespaces = NamespaceJob::before_order(sandbox.as_ref());
        let place = Arc::clone(&self.standbys).try_acquire_owned().ok()?;
        let registry = Arc::clone(&self.registry);
        let started = Standby::start(registry, namespaces, place);
        started
            .inspect_err(|error| tracing::warn!(%error, "no supervisor stands by"))
            .ok()
    }

    /// There are no supervisors on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn stand_by(&self, _: Option<Sandbox>) -> Option<Standby> {
        None
    }

    /// The order with its space, and with as much isolation as the kernel supports.
    fn possible(&self, order: CommandOrder) -> Result<CommandOrder, StartError> {
        let mut sandbox = self.possible_sandbox(order.sandbox)?;
        if let (Some(sandbox), Some(space)) = (&mut sandbox, &order.space) {
            sandbox.surroundings = Surroundings::Shared(space.holder());
        }
        Ok(CommandOrder { sandbox, ..order })
    }

    fn possible_sandbox(
        &self,
        mut sandbox: Option<Sandbox>,
    ) -> Result<Option<Sandbox>, StartError> {
        if let Some(sandbox) = &mut sandbox {
            let support = self.support();
            if !support.is_enough() {
                return Err(StartError::NoSandbox);
            }
            sandbox.isolation = support.limit(sandbox.isolation);
        }
        Ok(sandbox)
    }

    /// A group for commands that share limits.
    ///
    /// # Errors
    /// There are control groups, and none can be made.
    pub fn group(&self) -> io::Result<Arc<RunGroup>> {
        let name = self.groups.fetch_add(1, Ordering::Relaxed);
        let cgroup = self.cgroup.as_ref().map(|own| own.for_group(name));
        Ok(Arc::new(RunGroup::new(cgroup.transpose()?)))
    }

    /// The control group of a command with limits.
    #[cfg(target_os = "linux")]
    fn cgroup(&self, run: u64, order: &CommandOrder) -> io::Result<Option<CgroupDirectory>> {
        let (Some(own), Some(resources)) = (&self.cgroup, &order.resources) else {
            return Ok(None);
        };
        let shared = resources.group.as_ref().and_then(|group| group.cgroup());
        let made = match shared {
            Some(group) => CgroupDirectory::below(group, run, &resources.limits),
            None => own.for_command(run, &resources.limits),
        };
        made.map(Some)
    }

    /// One thread a run, and no task: it blocks in `poll`, writes the output to disk and restores
    /// files, none of which may occupy an async worker.
    #[cfg(target_os = "linux")]
    fn launch(
        &self,
        order: CommandOrder,
        directory: BorrowedFd<'_>,
        Launch {
            standby,
            pipes,
            lasts,
        }: Launch,
    ) -> Result<HeldRun, StartError> {
        use crate::capture::OutputCapture;
        use crate::job::NamespaceJob;
        use crate::pump::Pump;
        use crate::registry::RegisteredRun;
        use crate::run::{RunControl, RunState};
        use crate::standby::{RunTask, run_on};

        let order = self.possible(order)?;
        let directory = directory.try_clone_to_owned()?;
        let capture = OutputCapture::new(order.spool_dir.clone());
        let run = RegisteredRun {
            state: Arc::new(RunState::new(capture)),
            control: Arc::new(RunControl::new()?),
        };
        let id = self
            .registry
            .register(run.clone())
            .ok_or(StartError::Closed)?;
        let cgroup = match self.cgroup(id, &order) {
            Ok(cgroup) => cgroup,
            Err(error) => {
                self.registry.remove(id);
                return Err(error.into());
            }
        };
        let (registry, state) = (Arc::clone(&self.registry), Arc::clone(&run.state));
        let group = order.resources.as_ref().and_then(|it| it.group.clone());
        let namespaces = NamespaceJob::before_order(order.sandbox.as_ref());
        let pump = Pump {
            open_files: self.open_files,
            registry: Arc::clone(&self.registry),
            id,
            run: run.clone(),
            cgroup,
            lasts,
            order,
        };
        let task: RunTask = Box::new(move |standby| {
            if let Some(group) = &group {
                group.add(id, Arc::clone(&pump.run.control));
            }
            let end = pump.run(directory, pipes, standby);
            if let Some(group) = group {
                group.remove(id);
            }
            // First out of the count, then ended: who waits for the end sees the count without it.
            registry.remove(id);
            state.finish(end);
        });
        let standby = standby.filter(|standby| standby.fits(namespaces));
        if let Err(error) = run_on(standby, task) {
            self.registry.remove(id);
            return Err(error.into());
        }
        Ok(HeldRun::new(Run::new(run.state, run.control)))
    }

    #[cfg(not(target_os = "linux"))]
    fn launch(
        &self,
        order: CommandOrder,
        _: BorrowedFd<'_>,
        _: Launch,
    ) -> Result<HeldRun, StartError> {
        self.possible(order)?;
        Err(StartError::Unsupported)
    }

    /// Stops every command and refuses new ones. Returns whether all had ended within `limit`.
    pub async fn close(&self, limit: Duration) -> bool {
        let runs = self.registry.close();
        for run in &runs {
            run.control.stop();
        }
        let deadline = Instant::now() + limit;
        let mut all_ended = true;
        for run in &runs {
            let mut progress = run.state.subscribe();
            let ended = progress.wait_for(|progress| progress.end.is_some());
            all_ended &= timeout_at(deadline, ended).await.is_ok();
        }
        all_ended
    }

    /// The number of commands that run.
    pub fn count(&self) -> usize {
        self.registry.count()
    }
}

fn delegated_group() -> Option<DelegatedGroup> {
    match DelegatedGroup::take() {
        Ok(group) => {
            tracing::info!("control groups limit what commands use");
            Some(group)
        }
        Err(reason) => {
            tracing::info!(%reason, "supervisors measure what commands use");
            None
        }
    }
}
