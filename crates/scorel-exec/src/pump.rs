//! The daemon's thread of one run: reads the supervisor's pipes until the command has ended.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::deadline::poll_timeout;
use crate::guard::Snapshot;
use crate::job::{CommandOrder, StageJob, SupervisorJob};
use crate::orphans::kill_orphans;
use crate::registry::{RegisteredRun, RunRegistry};
use crate::reports::SupervisorReports;
use crate::role::Role;
use crate::run::RunEnd;

/// Output read at a time, in bytes: the default capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// How long a supervisor has for a command that is to end: its own grace period of 1 s, and as much
/// again for a busy machine. Then it counts as stopped or stuck and is killed.
const PATIENCE: Duration = Duration::from_millis(1700);

/// Chunks read after everything has ended: twice the largest capacity of a pipe (1 MiB). More can
/// only come from a process that got hold of the pipe's other end and still writes.
const LAST_CHUNKS: usize = 32;

pub(crate) struct Pump {
    program: PathBuf,
    /// The soft limit of open files for the command.
    open_files: Option<u64>,
    registry: Arc<RunRegistry>,
    run: RegisteredRun,
}

impl Pump {
    pub(crate) fn new(
        program: PathBuf,
        open_files: Option<u64>,
        registry: Arc<RunRegistry>,
        run: RegisteredRun,
    ) -> Self {
        Self {
            program,
            open_files,
            registry,
            run,
        }
    }

    /// Runs a command to its end.
    pub(crate) fn run(self, order: CommandOrder, directory: OwnedFd) -> RunEnd {
        let started = Instant::now();
        let timeout = order.timeout;
        // Until the command's end, whichever of its handles are dropped before.
        let _space = order.space.clone();
        let guard = order.sandbox.as_ref().and_then(|it| it.guard.as_ref());
        let has_guard = guard.is_some();
        // The supervisor takes one of its own and restores that. This one is for a supervisor that
        // is killed, which a command can do up to Linux 6.11 (Landlock scopes signals from 6.12 on).
        let snapshot = guard.and_then(|guard| Snapshot::take(guard).ok());
        let mut reports = match self.start(order, &directory) {
            Ok((child, control)) => {
                drop(directory);
                self.run.control.connect(control);
                self.attend(child, timeout.map(|timeout| started + timeout))
            }
            Err(error) => SupervisorReports::not_started(&error),
        };
        self.run.control.disconnect();
        if has_guard && !reports.has_restored() {
            reports.restored_here(snapshot.map(|snapshot| snapshot.restore()));
        }
        reports.into_end(self.run.control.is_stopping(), started.elapsed())
    }

    /// Starts the supervisor and sends it the job.
    fn start(&self, order: CommandOrder, directory: &OwnedFd) -> io::Result<(Child, File)> {
        let job = serde_json::to_vec(&supervisor_job(order, self.open_files)?)?;
        let length = u32::try_from(job.len()).map_err(io::Error::other)?;
        let mut command = Command::new(&self.program);
        command
            .arg(Role::Supervisor.argument())
            .env_clear()
            // By descriptor: the directory may have been renamed since it was opened.
            .current_dir(format!("/proc/self/fd/{}", directory.as_raw_fd()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.registry.spawn_supervisor(&mut command)?;
        let stdin = child.stdin.take().map(OwnedFd::from).map(File::from);
        let mut control = stdin.ok_or_else(|| io::Error::other("no pipe"))?;
        // Fails if the supervisor has ended already. Its report says why.
        let written = control.write_all(&length.to_le_bytes());
        let _ignored: io::Result<()> = written.and_then(|()| control.write_all(&job));
        Ok((child, control))
    }

    /// Reads output and reports until the supervisor closes its pipe, or gives up on it.
    fn attend(&self, mut child: Child, time_limit: Option<Instant>) -> SupervisorReports {
        let mut reports = SupervisorReports::default();
        let mut output = child.stdout.take();
        let stderr = child.stderr.take();
        let mut lost_at = time_limit.map(|limit| limit + PATIENCE);
        if let Some(mut stderr) = stderr {
            while self.round(&mut output, &mut stderr, &mut reports, lost_at) {
                if self.run.control.is_stopping() {
                    let limit = Instant::now() + PATIENCE;
                    lost_at = Some(lost_at.map_or(limit, |lost_at| lost_at.min(limit)));
                }
                if lost_at.is_some_and(|lost_at| Instant::now() >= lost_at) {
                    break;
                }
            }
        }
        self.bury(&mut child, &reports);
        self.drain(output);
        reports
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
        let wake = control.wake().filter(|_| !control.is_stopping());
        let [reports_ready, output_ready] = {
            let readable = |fd| PollFd::new(fd, PollFlags::POLLIN);
            let mut fds = vec![readable(stderr.as_fd())];
            fds.extend(output.as_ref().map(|output| readable(output.as_fd())));
            fds.extend(wake.map(|wake| readable(wake.as_fd())));
            // After EINTR no descriptor is ready, and the caller checks the time.
            let _ignored = poll(&mut fds, poll_timeout(until));
            let is_ready = |index: usize| fds.get(index).is_some_and(|fd| fd.any() == Some(true));
            [is_ready(0), output.is_some() && is_ready(1)]
        };
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
    fn bury(&self, child: &mut Child, reports: &SupervisorReports) {
        let is_lost = !reports.has_ended();
        if is_lost {
            // Fails if it has ended already.
            let _ignored: io::Result<()> = child.kill();
        }
        if let Err(error) = child.wait() {
            tracing::warn!(%error, "cannot wait for a supervisor");
        }
        self.registry.forget_supervisor(child);
        if is_lost {
            kill_orphans(&self.registry);
        }
    }

    /// Reads what is still in the pipe, without waiting for its end: a process outside the command
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
}

fn supervisor_job(order: CommandOrder, open_files: Option<u64>) -> io::Result<SupervisorJob> {
    let variables = order.environment.iter();
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Ok(SupervisorJob {
        parent: i32::try_from(std::process::id()).map_err(io::Error::other)?,
        timeout_ms: order
            .timeout
            .map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
        stage: StageJob {
            parent: 0,
            shell: shell(),
            environment: variables.map(owned).collect(),
            command: order.command,
            sandbox: order.sandbox.map(|sandbox| match order.space {
                Some(space) => sandbox.in_space(&space),
                None => sandbox,
            }),
            umask: order.umask,
            open_files,
        },
    })
}

/// Bash where it is installed: models write bash, whatever the tool is called.
fn shell() -> PathBuf {
    let candidates = ["/bin/bash", "/usr/bin/bash"];
    let bash = candidates.iter().find(|path| Path::new(path).exists());
    PathBuf::from(bash.unwrap_or(&"/bin/sh"))
}
