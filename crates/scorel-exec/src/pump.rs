//! The daemon's thread of one run: reads the supervisor's pipes until the command has ended.

use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout};
use std::sync::Arc;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::cgroup::CgroupDirectory;
use crate::child_pipes::ChildPipes;
use crate::deadline::poll_timeout;
use crate::guard::{SettingsCopies, Snapshot};
use crate::job::{NamespaceJob, ShellExit, StageJob, SupervisorJob, WatchJob};
use crate::limits::{LimitKind, LimitScope, ReachedLimit};
use crate::order::CommandOrder;
use crate::registry::{RegisteredRun, RunRegistry};
use crate::reports::SupervisorReports;
use crate::run::RunEnd;
use crate::supervisor_child::{PATIENCE, SupervisorChild, TIMEOUT_PATIENCE, reap};
use crate::working_directory::WorkingDirectory;

/// Output read at a time, in bytes: the default capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// Chunks read after everything has ended: twice the largest capacity of a pipe (1 MiB). More can
/// only come from a process that got hold of the pipe's other end and still writes.
const LAST_CHUNKS: usize = 32;

pub(crate) struct Pump {
    /// The soft limit of open files for the command.
    pub(crate) open_files: Option<u64>,
    pub(crate) registry: Arc<RunRegistry>,
    pub(crate) id: u64,
    pub(crate) run: RegisteredRun,
    /// Exists as long as the command.
    pub(crate) cgroup: Option<CgroupDirectory>,
    pub(crate) lasts: bool,
    /// Its space exists until the command's end, whichever of its handles are dropped before.
    pub(crate) order: CommandOrder,
}

impl Pump {
    /// Runs the command to its end, under `standby` or else under a supervisor that is started now. `pipes` are
    /// its standard streams; without, its output is captured and it has no input.
    pub(crate) fn run(
        self,
        directory: OwnedFd,
        pipes: Option<ChildPipes>,
        standby: Option<SupervisorChild>,
    ) -> RunEnd {
        let sandbox = self.order.sandbox.as_ref();
        let guard = sandbox.and_then(|it| it.guard.as_ref());
        let mut snapshot = None;
        let mut copies = SettingsCopies::default();
        let mut reports = match self.start(&directory, pipes, standby, &mut copies) {
            Ok(SupervisorChild { child, control }) => {
                drop(directory);
                // The supervisor takes one of its own and restores that. This one is for a supervisor
                // that is killed, which a command can do up to Linux 6.11 (Landlock scopes signals from
                // 6.12 on). The command waits for the connection.
                let taken = guard.and_then(|it| Snapshot::take(it).ok());
                snapshot = taken.map(|taken| self.registry.found(self.id, taken));
                self.run.control.connect(control);
                self.attend(child)
            }
            Err(error) => SupervisorReports::not_started(&error),
        };
        self.run.control.disconnect();
        let started = self.run.control.released();
        if let Some(guard) = guard.filter(|_| started.is_some() && reports.restored.is_none()) {
            // What the supervisor put back before it was killed does not differ any more.
            let state = &self.run.state;
            state.restored(std::mem::take(&mut reports.restored_so_far));
            let mut outcome = snapshot.map(|snapshot| snapshot.restore(None));
            if let Some(outcome) = &mut outcome {
                copies.take_over(Some(&guard.root), outcome);
            }
            reports.restored_here(state.restored_so_far(), outcome);
        } else if let Some(snapshot) = snapshot.filter(|it| started.is_some() && it.is_shared) {
            // The supervisor does not know what was there before the other commands.
            reports.restored_after(snapshot.restore(None));
        }
        let exit = reports.exit;
        let resources = self.order.resources.as_ref();
        let limit = resources.and_then(|resources| {
            let by_group = self.run.control.reached().map(|it| (it, LimitScope::Group));
            let own = || {
                let seen = reports.limit;
                seen.or_else(|| failed_at(exit, |text| self.run.state.has_output(text)))
            };
            let (kind, scope) = by_group.or_else(|| Some((own()?, LimitScope::Command)))?;
            let value = kind.value(&resources.limits);
            Some(ReachedLimit { kind, scope, value })
        });
        let duration = started.map(|it| it.elapsed());
        let is_stopping = self.run.control.is_stopping();
        reports.into_end(is_stopping, limit, duration.unwrap_or_default())
    }

    /// Sends the order to a supervisor. Makes the copies of git's configuration that the order has.
    fn start(
        &self,
        directory: &OwnedFd,
        pipes: Option<ChildPipes>,
        standby: Option<SupervisorChild>,
        copies: &mut SettingsCopies,
    ) -> io::Result<SupervisorChild> {
        let mut job = self.supervisor_job(directory, pipes.is_some())?;
        if let Some(sandbox) = &mut job.stage.sandbox {
            *copies = SettingsCopies::make(&mut sandbox.settings);
            job.copies = copies.made();
        }
        let mut supervisor = match standby {
            Some(standby) => standby,
            None => {
                let namespaces = NamespaceJob::before_order(job.stage.sandbox.as_ref());
                // By descriptor: the directory may have been renamed since it was opened.
                let directory = format!("/proc/self/fd/{}", directory.as_raw_fd());
                let directory = Path::new(&directory);
                SupervisorChild::start(&self.registry, directory, namespaces)?
            }
        };
        supervisor.order(&job, pipes.as_ref());
        // The caller's ends of the pipes now come to their ends with the supervisor's.
        drop(pipes);
        Ok(supervisor)
    }

    /// Reads output and reports until the supervisor closes its pipe, or gives up on it.
    fn attend(&self, mut child: Child) -> SupervisorReports {
        let mut reports = SupervisorReports::default();
        let mut output = child.stdout.take();
        let stderr = child.stderr.take();
        let mut lost_at = self.time_limit();
        if let Some(mut stderr) = stderr {
            while self.round(&mut output, &mut stderr, &mut reports, lost_at) {
                self.share_usage(&mut reports);
                self.run
                    .state
                    .restored(std::mem::take(&mut reports.restored_so_far));
                let told = self.run.control.is_ending();
                let told = told.then(|| Instant::now() + PATIENCE);
                let limits = [lost_at, self.time_limit(), told];
                lost_at = limits.into_iter().flatten().min();
                if lost_at.is_some_and(|lost_at| Instant::now() >= lost_at) {
                    break;
                }
            }
        }
        self.reap(&mut child, &mut reports);
        self.drain(output);
        reports
    }

    /// When a supervisor that has not ended by itself is given up; `None` before the command has started,
    /// or without a time limit.
    fn time_limit(&self) -> Option<Instant> {
        let started = self.run.control.released()?;
        Some(started + self.order.timeout? + TIMEOUT_PATIENCE)
    }

    /// Has what the command uses added up with the others of its group.
    fn share_usage(&self, reports: &mut SupervisorReports) {
        let resources = self.order.resources.as_ref();
        let shared = resources.and_then(|it| Some((it.group.as_ref()?, &it.limits)));
        if let (Some((group, limits)), Some(usage)) = (shared, reports.usage.take()) {
            group.record(self.id, usage, limits);
        }
    }

    /// Waits for readable pipes and reads each once. Returns whether more reports may come.
    fn round(
        &self,
        output: &mut Option<ChildStdout>,
        stderr: &mut ChildStderr,
        reports: &mut SupervisorReports,
        until: Option<Instant>,
    ) -> bool {
        let control = &self.run.control;
        let [reports_ready, output_ready] = {
            let readable = |fd| PollFd::new(fd, PollFlags::POLLIN);
            let mut fds = vec![readable(stderr.as_fd())];
            fds.extend(output.as_ref().map(|output| readable(output.as_fd())));
            fds.extend(control.wake().map(|wake| readable(wake.as_fd())));
            // After EINTR no descriptor is ready, and the caller checks the time.
            let _ignored = poll(&mut fds, poll_timeout(until));
            let is_ready = |index: usize| fds.get(index).is_some_and(|fd| fd.any() == Some(true));
            [is_ready(0), output.is_some() && is_ready(1)]
        };
        control.awake();
        if output_ready && !self.read_output(output.as_mut()) {
            *output = None;
        }
        !reports_ready || reports.read(stderr)
    }

    /// Reads one chunk of output. Returns `false` at its end.
    fn read_output(&self, output: Option<&mut ChildStdout>) -> bool {
        let mut chunk = [0; CHUNK];
        match output.map(|output| output.read(&mut chunk)) {
            Some(Ok(count)) if count > 0 => {
                self.run.state.push(&chunk[..count]);
                true
            }
            Some(Err(error)) => error.kind() == io::ErrorKind::Interrupted,
            _ => false,
        }
    }

    /// Waits for the supervisor. One that did not report the command's end is killed, and then the
    /// command's processes, which are orphans now.
    fn reap(&self, child: &mut Child, reports: &mut SupervisorReports) {
        if let Err(error) = reap(child, &self.registry, reports.ended.is_none()) {
            let problem = format!("cannot kill what the command has left: {error}");
            reports.problems.push(problem);
        }
    }

    /// Reads the output still in the pipe, without waiting for EOF: a process outside the command
    /// may hold the other end open.
    fn drain(&self, mut output: Option<ChildStdout>) {
        for _ in 0..LAST_CHUNKS {
            let Some(open) = &output else { return };
            let mut fds = [PollFd::new(open.as_fd(), PollFlags::POLLIN)];
            let is_ready = poll(&mut fds, PollTimeout::ZERO).is_ok_and(|count| count > 0);
            if !is_ready || !self.read_output(output.as_mut()) {
                return;
            }
        }
    }

    fn supervisor_job(&self, directory: &OwnedFd, piped: bool) -> io::Result<SupervisorJob> {
        let order = &self.order;
        let cgroup = self.cgroup.as_ref().map(|it| it.path().to_owned());
        let watch = order.resources.as_ref().map(|resources| WatchJob {
            limits: resources.limits,
            scratch: resources.scratch.clone(),
            cgroup: cgroup.clone(),
            reports_usage: resources.group.is_some(),
        });
        let (program, arguments) = order.command.clone().into_parts();
        Ok(SupervisorJob {
            timeout_ms: order
                .timeout
                .map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            lasts: self.lasts,
            copies: Vec::new(),
            stage: StageJob {
                parent: 0,
                directory: WorkingDirectory::of(directory)?,
                environment: order.environment.clone(),
                program,
                arguments,
                piped,
                sandbox: order.sandbox.clone(),
                umask: order.umask,
                open_files: self.open_files,
                limits: watch.as_ref().map(|watch| watch.limits),
                cgroup,
            },
            watch,
        })
    }
}

/// The limit because of which a command failed by itself: the kernel reports it only to the process.
/// `has_output` searches the command's output for the kernel's error message.
fn failed_at(exit: Option<ShellExit>, has_output: impl Fn(&[u8]) -> bool) -> Option<LimitKind> {
    const SIGXFSZ: i32 = nix::libc::SIGXFSZ;
    match exit? {
        ShellExit::Code(0) => None,
        ShellExit::Signal(SIGXFSZ) => Some(LimitKind::FileSize),
        // What a shell makes of a signal that ended its command.
        ShellExit::Code(code) if code == 128 + SIGXFSZ => Some(LimitKind::FileSize),
        _ if has_output(b"Too many open files") => Some(LimitKind::OpenFiles),
        _ if has_output(b"File too large") => Some(LimitKind::FileSize),
        _ => None,
    }
}
