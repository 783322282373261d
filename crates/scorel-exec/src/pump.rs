//! The thread of one run: between the supervisor's pipes and those who are interested.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::entry::SUPERVISE;
use crate::guard::Snapshot;
use crate::job::{Exit, Job, Order, Report, StageJob};
use crate::orphans;
use crate::run::{Control, End, EndCause, Shared};
use crate::supervisors::Supervisors;

/// How much output is read at a time, in bytes.
const CHUNK: usize = 64 * 1024;

/// How long a supervisor has to end a command that was to end. Then it is taken for stopped or
/// stuck, and its work is done here.
const PATIENCE: Duration = Duration::from_millis(1700);

/// How much is still read when everything has ended, in chunks: more than a pipe holds.
const LAST_CHUNKS: usize = 32;

/// The longest report, in bytes.
const MAX_REPORT: usize = 64 * 1024;

pub(crate) struct Pump {
    pub(crate) supervisors: Arc<Supervisors>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) control: Arc<Control>,
}

/// What the supervisor has said.
#[derive(Debug, Default)]
struct Told {
    line: Vec<u8>,
    failed: Option<String>,
    exit: Option<Exit>,
    timed_out: bool,
    unprotected: bool,
    /// What was put back, and whether something could not be.
    guarded: Option<(Vec<String>, bool)>,
    ended: Option<(u32, u32)>,
}

impl Pump {
    /// Runs a command to its end.
    pub(crate) fn run(self, order: Order, directory: OwnedFd) -> End {
        let started = Instant::now();
        let timeout = order.timeout;
        // The supervisor has its own, which is used. This is for the case that it is killed.
        let snapshot = Snapshot::of(order.sandbox.as_ref()).unwrap_or_default();
        let has_guard = order.sandbox.as_ref().is_some_and(|it| it.guard.is_some());
        let mut told = match self.start(order, &directory) {
            Ok((child, control)) => {
                drop(directory);
                self.control.connect(control);
                self.attend(child, timeout.map(|timeout| started + timeout))
            }
            Err(error) => Told {
                failed: Some(format!("cannot start a supervisor: {error}")),
                ended: Some((0, 0)),
                ..Told::default()
            },
        };
        self.control.disconnect();
        if let (None, Some(snapshot)) = (&told.guarded, snapshot) {
            let outcome = snapshot.restore(!told.unprotected);
            told.guarded = Some((outcome.restored, outcome.has_gaps));
        }
        if has_guard && told.guarded.is_none() {
            told.guarded = Some((Vec::new(), true));
        }
        end(told, self.control.is_stopping(), started.elapsed())
    }

    /// Starts the supervisor and tells it what to do.
    fn start(&self, order: Order, directory: &OwnedFd) -> io::Result<(Child, File)> {
        let job = serde_json::to_vec(&job(order)?)?;
        let length = u32::try_from(job.len()).map_err(io::Error::other)?;
        let mut command = Command::new(&self.supervisors.program);
        command
            .arg(SUPERVISE)
            .env_clear()
            // Whatever the directory is called by now.
            .current_dir(format!("/proc/self/fd/{}", directory.as_raw_fd()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = {
            // Nobody may take it for an orphan before it is known.
            let mut live = self.supervisors.live();
            let child = command.spawn()?;
            live.supervisors.insert(pid(&child));
            child
        };
        let stdin = child.stdin.take().map(OwnedFd::from).map(File::from);
        let mut control = stdin.ok_or_else(|| io::Error::other("no pipe"))?;
        // If the supervisor ended already, it has said why.
        let written = control.write_all(&length.to_le_bytes());
        let _ignored: io::Result<()> = written.and_then(|()| control.write_all(&job));
        Ok((child, control))
    }

    /// Passes the output on until nothing of the command is left.
    fn attend(&self, mut child: Child, time_limit: Option<Instant>) -> Told {
        let mut told = Told::default();
        let mut output = child.stdout.take();
        let reports = child.stderr.take();
        let mut lost_at = time_limit.map(|limit| limit + PATIENCE);
        if let Some(mut reports) = reports {
            while self.round(&mut output, &mut reports, &mut told, lost_at) {
                if self.control.is_stopping() {
                    let limit = Instant::now() + PATIENCE;
                    lost_at = Some(lost_at.map_or(limit, |lost_at| lost_at.min(limit)));
                }
                if lost_at.is_some_and(|lost_at| Instant::now() >= lost_at) {
                    break;
                }
            }
        }
        self.bury(&mut child, &mut told);
        self.drain(output);
        told
    }

    /// Waits for something and takes it. Says whether the supervisor may have more to say.
    fn round(
        &self,
        output: &mut Option<ChildStdout>,
        reports: &mut ChildStderr,
        told: &mut Told,
        until: Option<Instant>,
    ) -> bool {
        let wake = self.control.wake().filter(|_| !self.control.is_stopping());
        let [reports_ready, output_ready] = {
            let readable = |fd| PollFd::new(fd, PollFlags::POLLIN);
            let mut fds = vec![readable(reports.as_fd())];
            fds.extend(output.as_ref().map(|output| readable(output.as_fd())));
            fds.extend(wake.map(|wake| readable(wake.as_fd())));
            // Interrupted or not, everything is looked at again.
            let _ignored = poll(&mut fds, time_left(until));
            let is_ready = |index: usize| fds.get(index).is_some_and(|fd| fd.any() == Some(true));
            [is_ready(0), output.is_some() && is_ready(1)]
        };
        if output_ready && !self.pass_on(output.as_mut()) {
            *output = None;
        }
        !reports_ready || told.read(reports)
    }

    /// Takes one chunk of output. Says whether there may be more.
    fn pass_on(&self, output: Option<&mut ChildStdout>) -> bool {
        let mut chunk = [0; CHUNK];
        match output.map(|output| output.read(&mut chunk)) {
            Some(Ok(count)) if count > 0 => {
                self.shared.push(&chunk[..count]);
                true
            }
            Some(Err(error)) => error.kind() == io::ErrorKind::Interrupted,
            _ => false,
        }
    }

    /// Sees to it that the supervisor, and what it has left, is gone.
    fn bury(&self, child: &mut Child, told: &mut Told) {
        let is_lost = told.ended.is_none();
        if is_lost {
            // It may have ended already.
            let _ignored: io::Result<()> = child.kill();
        }
        if let Err(error) = child.wait() {
            tracing::warn!(%error, "a supervisor cannot be waited for");
        }
        self.supervisors.live().supervisors.remove(&pid(child));
        if is_lost {
            orphans::end(&self.supervisors);
        }
    }

    /// Takes what is still in the pipe. Somebody else may hold its other end.
    fn drain(&self, mut output: Option<ChildStdout>) {
        for _ in 0..LAST_CHUNKS {
            let Some(open) = &output else { return };
            let mut fds = [PollFd::new(open.as_fd(), PollFlags::POLLIN)];
            let is_ready = poll(&mut fds, PollTimeout::ZERO).is_ok_and(|count| count > 0);
            if !is_ready || !self.pass_on(output.as_mut()) {
                return;
            }
        }
    }
}

impl Told {
    /// Takes what is there. Says whether there may be more.
    fn read(&mut self, reports: &mut ChildStderr) -> bool {
        let mut chunk = [0; 4096];
        match reports.read(&mut chunk) {
            Ok(0) => return false,
            Ok(count) => self.line.extend_from_slice(&chunk[..count]),
            Err(error) => return error.kind() == io::ErrorKind::Interrupted,
        }
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(report) => self.hear(report),
                Err(_) => tracing::warn!(text = %String::from_utf8_lossy(&line), "a supervisor"),
            }
        }
        self.line.truncate(MAX_REPORT);
        true
    }

    fn hear(&mut self, report: Report) {
        match report {
            Report::Failed(message) => self.failed = Some(message),
            Report::Unprotected => self.unprotected = true,
            Report::Guarded { restored, has_gaps } => self.guarded = Some((restored, has_gaps)),
            Report::Exited(exit) => self.exit = Some(exit),
            Report::TimedOut => self.timed_out = true,
            Report::Ended {
                signalled,
                survivors,
            } => self.ended = Some((signalled, survivors)),
        }
    }
}

fn end(told: Told, is_stopping: bool, duration: Duration) -> End {
    let cause = match told.failed {
        Some(message) => EndCause::NotStarted(message),
        None if told.timed_out => EndCause::TimedOut,
        None if is_stopping => EndCause::Stopped,
        None if told.ended.is_none() => EndCause::SupervisorLost,
        None => EndCause::Exited,
    };
    let (signalled, survivors) = told.ended.unwrap_or_default();
    // What could not be mounted was compared, if anything was.
    let (restored, unprotected) = told.guarded.unwrap_or((Vec::new(), told.unprotected));
    End {
        cause,
        exit: told.exit,
        duration,
        signalled,
        survivors,
        unprotected,
        restored,
    }
}

fn job(order: Order) -> io::Result<Job> {
    let variables = order.environment.iter();
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Ok(Job {
        parent: i32::try_from(std::process::id()).map_err(io::Error::other)?,
        timeout_ms: order
            .timeout
            .map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
        stage: StageJob {
            parent: 0,
            shell: shell(),
            environment: variables.map(owned).collect(),
            command: order.command,
            sandbox: order.sandbox,
        },
    })
}

/// Bash, or what there is.
fn shell() -> PathBuf {
    let candidates = ["/bin/bash", "/usr/bin/bash"];
    let bash = candidates.iter().find(|path| Path::new(path).exists());
    PathBuf::from(bash.unwrap_or(&"/bin/sh"))
}

fn pid(child: &Child) -> i32 {
    // The system's own numbers are of this type.
    i32::try_from(child.id()).unwrap_or(i32::MAX)
}

fn time_left(until: Option<Instant>) -> PollTimeout {
    let Some(until) = until else {
        return PollTimeout::NONE;
    };
    let left = until.saturating_duration_since(Instant::now());
    // Rounded up, or the end would be waited for in a busy loop.
    let milliseconds = left.as_micros().div_ceil(1000).min(i32::MAX as u128);
    i32::try_from(milliseconds)
        .ok()
        .and_then(|left| PollTimeout::try_from(left).ok())
        .unwrap_or(PollTimeout::ZERO)
}
