//! The supervisor: runs one command and leaves no process of it behind.
//!
//! It is a process of its own, so that a command also ends when the daemon is killed, and it is a
//! subreaper, so that a process that leaves its parent (`nohup`, a double fork, `setsid`) stays below
//! it in the process table. Process groups and sessions do not help: a process leaves them at will.

mod children;

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal as NixSignal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{dup2_stdout, getpid, getppid, setsid};
use rustix::process::Signal;

use crate::deadline::poll_timeout;
use crate::guard::Snapshot;
use crate::job::{STOP, StageJob, SupervisorJob, SupervisorReport};
use crate::role::Role;

use children::ChildProcesses;

/// How long processes may outlive the shell, for example the last part of a pipeline in a process
/// substitution, which still writes output.
const LINGER: Duration = Duration::from_millis(200);

/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// How often processes are listed and killed again. One that forked between the listing and its
/// own death leaves a child that got no signal; a fork bomb takes a few rounds.
const KILL_INTERVAL: Duration = Duration::from_millis(10);

/// After this, what is left is in an uninterruptible system call and is reported as a survivor.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// In bytes. The job has the command, its environment and the paths of the sandbox.
const MAX_JOB: usize = 16 * 1024 * 1024;

/// Runs the job that is read from standard input. Standard output becomes the command's output,
/// standard error takes reports; all three are pipes to the daemon. The end of standard input means
/// that the daemon is gone.
pub(crate) fn supervise() -> ExitCode {
    match SupervisorProcess::start() {
        Ok(supervisor) => supervisor.run(),
        Err(error) => report(&SupervisorReport::Failed(format!(
            "cannot supervise a command: {error}"
        ))),
    }
    ExitCode::SUCCESS
}

/// Writes a report. A failure means that the daemon is gone, which the end of standard input tells.
fn report(report: &SupervisorReport) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ignored: io::Result<()> = io::stderr().lock().write_all(&line);
    }
}

/// How far the command is on its way to the end; it only moves down this list.
#[derive(Debug, Clone, Copy)]
enum RunPhase {
    /// The shell runs; `until` is its time limit.
    Running { until: Option<Instant> },
    /// The shell has ended; other processes may still run until then.
    Lingering { until: Instant },
    /// All processes got SIGTERM.
    Terminating { until: Instant },
    /// All processes get SIGKILL, repeatedly.
    Killing { until: Instant },
}

struct SupervisorProcess {
    daemon: i32,
    signals: SignalFd,
    children: ChildProcesses,
    /// Carries the stage's error. It closes when the stage becomes the shell, since it is
    /// close-on-exec.
    stage_channel: Option<UnixStream>,
    phase: RunPhase,
    /// Restored when no process is left.
    snapshot: Option<Snapshot>,
}

impl SupervisorProcess {
    fn start() -> io::Result<Self> {
        let signals = take_signals()?;
        setsid()?;
        prctl::set_child_subreaper(true)?;
        // No other process of the user may trace this one or open its /proc/PID/fd and mem.
        prctl::set_dumpable(false)?;
        // The kernel sends this signal when the *thread* that forked ends, which may be long before
        // the daemon does. So it only makes the supervisor check getppid, in `take_signal`; SIGTERM
        // would end the command.
        prctl::set_pdeathsig(NixSignal::SIGUSR1)?;
        let job = read_job()?;
        if getppid().as_raw() != job.parent {
            return Err(io::Error::other("the daemon is gone"));
        }
        let timeout = job.timeout_ms.map(Duration::from_millis);
        let guard = job.stage.sandbox.as_ref().and_then(|it| it.guard.as_ref());
        let snapshot = guard.map(Snapshot::take).transpose()?;
        let (shell, channel) = start_stage(job.stage)?;
        // The daemon reads until every copy of this end of the pipe is closed.
        dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
        Ok(Self {
            daemon: job.parent,
            signals,
            children: ChildProcesses::new(shell),
            stage_channel: Some(channel),
            phase: RunPhase::Running {
                until: timeout.map(|timeout| Instant::now() + timeout),
            },
            snapshot,
        })
    }

    fn run(mut self) {
        loop {
            if let Some(exit) = self.children.reap() {
                // The daemon expects the stage's error before the exit that it led to.
                self.read_channel();
                report(&SupervisorReport::Exited(exit));
                if let RunPhase::Running { .. } = self.phase {
                    self.phase = RunPhase::Lingering {
                        until: Instant::now() + LINGER,
                    };
                }
            }
            if self.children.all_ended() || !self.advance(Instant::now()) {
                break;
            }
            self.wait();
        }
        // Here and not in the daemon, which may have been killed.
        if let Some(snapshot) = &self.snapshot {
            let outcome = snapshot.restore();
            report(&SupervisorReport::Guarded {
                restored: outcome.restored,
                has_gaps: outcome.has_gaps,
            });
        }
        report(&SupervisorReport::Ended {
            signalled: self.children.signalled(),
            survivors: self.children.survivors(),
        });
    }

    /// Moves on to the next phase if its time has come. Returns `false` when killing is given up.
    fn advance(&mut self, now: Instant) -> bool {
        match self.phase {
            RunPhase::Running { until: Some(until) } if now >= until => {
                report(&SupervisorReport::TimedOut);
                self.terminate();
            }
            RunPhase::Lingering { until } if now >= until => self.terminate(),
            RunPhase::Terminating { until } if now >= until => self.kill(),
            RunPhase::Killing { until } => {
                self.children.signal(Signal::KILL);
                return now < until;
            }
            _ => {}
        }
        true
    }

    fn terminate(&mut self) {
        if matches!(
            self.phase,
            RunPhase::Running { .. } | RunPhase::Lingering { .. }
        ) {
            self.children.signal(Signal::TERM);
            // A stopped process handles SIGTERM only when it continues.
            self.children.signal(Signal::CONT);
            self.phase = RunPhase::Terminating {
                until: Instant::now() + GRACE,
            };
        }
    }

    fn kill(&mut self) {
        if !matches!(self.phase, RunPhase::Killing { .. }) {
            self.children.signal(Signal::KILL);
            self.phase = RunPhase::Killing {
                until: Instant::now() + KILL_LIMIT,
            };
        }
    }

    fn wait(&mut self) {
        let stdin = io::stdin();
        let mut fds = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        let control = self.obeys().then(|| stdin.as_fd());
        let channel = self.stage_channel.as_ref().map(UnixStream::as_fd);
        for fd in [control, channel].into_iter().flatten() {
            fds.push(PollFd::new(fd, PollFlags::POLLIN));
        }
        // After EINTR no descriptor is ready, and the caller's loop goes on.
        let _ignored = poll(&mut fds, self.time_left());
        let mut ready = fds[1..].iter().map(|fd| fd.any() == Some(true));
        let control_is_ready = control.is_some() && ready.next() == Some(true);
        let channel_is_ready = channel.is_some() && ready.next() == Some(true);
        if channel_is_ready {
            self.read_channel();
        }
        if control_is_ready {
            self.obey(stdin.as_fd());
        }
        self.take_signal();
    }

    /// Whether the control pipe still matters. After its end it would be readable all the time.
    fn obeys(&self) -> bool {
        !matches!(self.phase, RunPhase::Killing { .. })
    }

    fn time_left(&self) -> PollTimeout {
        poll_timeout(match self.phase {
            RunPhase::Running { until } => until,
            RunPhase::Lingering { until } | RunPhase::Terminating { until } => Some(until),
            RunPhase::Killing { until } => Some(until.min(Instant::now() + KILL_INTERVAL)),
        })
    }

    /// Reads the control pipe. Its end means that the daemon is gone.
    fn obey(&mut self, control: BorrowedFd<'_>) {
        let mut bytes = [0; 16];
        match nix::unistd::read(control, &mut bytes) {
            Ok(0) => self.kill(),
            Ok(count) if bytes[..count].contains(&STOP) => self.terminate(),
            Ok(_) | Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.kill(),
        }
    }

    /// Reports the stage's error, if it has written one. Blocks until the stage has become the shell
    /// or has ended.
    fn read_channel(&mut self) {
        let Some(mut channel) = self.stage_channel.take() else {
            return;
        };
        let mut error = Vec::new();
        if channel.read_to_end(&mut error).is_ok() && !error.is_empty() {
            let message = String::from_utf8_lossy(&error).into_owned();
            report(&SupervisorReport::Failed(message));
        }
    }

    /// Handles pending signals. Ended children are reaped in every round anyway.
    fn take_signal(&mut self) {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            match i32::try_from(signal.ssi_signo).map(NixSignal::try_from) {
                Ok(Ok(NixSignal::SIGCHLD)) => {}
                // The thread that started this process has ended, and the daemon has not.
                Ok(Ok(NixSignal::SIGUSR1)) if getppid().as_raw() == self.daemon => {}
                _ => self.kill(),
            }
        }
    }
}

/// Blocks the signals that are handled and receives them through a descriptor, so that one `poll`
/// waits for everything and nothing runs in a signal handler.
fn take_signals() -> io::Result<SignalFd> {
    let mut signals = SigSet::empty();
    for signal in [
        NixSignal::SIGCHLD,
        NixSignal::SIGHUP,
        NixSignal::SIGINT,
        NixSignal::SIGQUIT,
        NixSignal::SIGTERM,
        NixSignal::SIGUSR1,
    ] {
        signals.add(signal);
    }
    signals.thread_block()?;
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    Ok(SignalFd::with_flags(&signals, flags)?)
}

/// Reads the job and no byte after it: `io::stdin()` would buffer the control bytes that follow.
fn read_job() -> io::Result<SupervisorJob> {
    let stdin = io::stdin();
    let mut input = std::fs::File::from(stdin.as_fd().try_clone_to_owned()?);
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_JOB {
        return Err(io::Error::other("the job is too large"));
    }
    let mut text = vec![0; length];
    input.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Starts the stage, which becomes the shell. Returns its process id and the channel to it.
fn start_stage(mut job: StageJob) -> io::Result<(i32, UnixStream)> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let child = Command::new("/proc/self/exe")
        .arg(Role::Stage.argument())
        .env_clear()
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::inherit())
        .stderr(Stdio::from(output))
        .spawn()?;
    job.parent = getpid().as_raw();
    // Fails if the stage has ended already. Its exit code is reported.
    if serde_json::to_writer(&mut ours, &job).is_ok() {
        let _ignored: io::Result<()> = ours.shutdown(std::net::Shutdown::Write);
    }
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok((pid, ours))
}
