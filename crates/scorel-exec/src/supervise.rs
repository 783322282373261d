//! The supervisor: starts a command and sees to it that nothing of it outlives it.

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

use crate::confine::UNPROTECTED;
use crate::entry::CONFINE;
use crate::guard::Snapshot;
use crate::job::{Job, Report, STOP, StageJob};

use children::Children;

/// How long processes that outlive the shell may go on, such as one that writes the last of a
/// pipeline's output.
const LINGER: Duration = Duration::from_millis(200);

/// How long processes have to end after they were asked to.
const GRACE: Duration = Duration::from_secs(1);

/// How often processes that were killed are looked for again.
const KILL_INTERVAL: Duration = Duration::from_millis(10);

/// How long processes that cannot be killed are tried.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// The largest job, in bytes.
const MAX_JOB: usize = 16 * 1024 * 1024;

/// Reads a job from the standard input, runs it with the standard output as its output, and reports
/// to the standard error, each a pipe to the daemon. The end of the standard input is the daemon's.
pub(crate) fn supervise() -> ExitCode {
    match Supervisor::start() {
        Ok(supervisor) => supervisor.run(),
        Err(error) => say(&Report::Failed(format!(
            "cannot supervise a command: {error}"
        ))),
    }
    ExitCode::SUCCESS
}

/// Writes a report. If it cannot be written the daemon is gone, which is noticed elsewhere.
fn say(report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ignored: io::Result<()> = io::stderr().lock().write_all(&line);
    }
}

/// What is done with the command's processes.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// The shell runs.
    Running { until: Option<Instant> },
    /// The shell has ended; others may still.
    Lingering { until: Instant },
    /// All were asked to end.
    Asked { until: Instant },
    /// All are killed, again and again.
    Killing { until: Instant },
}

struct Supervisor {
    daemon: i32,
    signals: SignalFd,
    children: Children,
    /// Closes when the stage has become the shell; before that, an error may come out of it.
    stage_channel: Option<UnixStream>,
    stage: Stage,
    /// What to put back when nothing is left.
    snapshot: Option<Snapshot>,
    are_mounted: bool,
}

impl Supervisor {
    fn start() -> io::Result<Self> {
        let signals = take_signals()?;
        setsid()?;
        prctl::set_child_subreaper(true)?;
        prctl::set_dumpable(false)?;
        // Not SIGTERM: this one comes whenever the thread that started this process ends, which
        // may be long before the daemon does.
        prctl::set_pdeathsig(NixSignal::SIGUSR1)?;
        let job = read_job()?;
        if getppid().as_raw() != job.parent {
            return Err(io::Error::other("the daemon is gone"));
        }
        let timeout = job.timeout_ms.map(Duration::from_millis);
        let snapshot = Snapshot::of(job.stage.sandbox.as_ref())?;
        let (shell, channel) = start_stage(job.stage)?;
        // Or the output would never end.
        dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
        Ok(Self {
            daemon: job.parent,
            signals,
            children: Children::new(shell),
            stage_channel: Some(channel),
            stage: Stage::Running {
                until: timeout.map(|timeout| Instant::now() + timeout),
            },
            snapshot,
            are_mounted: true,
        })
    }

    fn run(mut self) {
        loop {
            if let Some(exit) = self.children.reap() {
                // An error of the stage comes first.
                self.read_channel();
                say(&Report::Exited(exit));
                if let Stage::Running { .. } = self.stage {
                    self.stage = Stage::Lingering {
                        until: Instant::now() + LINGER,
                    };
                }
            }
            if self.children.all_ended() || !self.advance(Instant::now()) {
                break;
            }
            self.wait();
        }
        // Here and not in the daemon, which may be gone.
        if let Some(snapshot) = &self.snapshot {
            let outcome = snapshot.restore(self.are_mounted);
            say(&Report::Guarded {
                restored: outcome.restored,
                has_gaps: outcome.has_gaps,
            });
        }
        say(&Report::Ended {
            signalled: self.children.signalled(),
            survivors: self.children.survivors(),
        });
    }

    /// Does what is due. Says whether there is anything left to do.
    fn advance(&mut self, now: Instant) -> bool {
        match self.stage {
            Stage::Running { until: Some(until) } if now >= until => {
                say(&Report::TimedOut);
                self.ask();
            }
            Stage::Lingering { until } if now >= until => self.ask(),
            Stage::Asked { until } if now >= until => self.kill(),
            Stage::Killing { until } => {
                self.children.signal(Signal::KILL);
                return now < until;
            }
            _ => {}
        }
        true
    }

    /// Asks all processes to end.
    fn ask(&mut self) {
        if matches!(self.stage, Stage::Running { .. } | Stage::Lingering { .. }) {
            self.children.signal(Signal::TERM);
            // A stopped process does not get the other one.
            self.children.signal(Signal::CONT);
            self.stage = Stage::Asked {
                until: Instant::now() + GRACE,
            };
        }
    }

    fn kill(&mut self) {
        if !matches!(self.stage, Stage::Killing { .. }) {
            self.children.signal(Signal::KILL);
            self.stage = Stage::Killing {
                until: Instant::now() + KILL_LIMIT,
            };
        }
    }

    /// Waits until something happens or is due.
    fn wait(&mut self) {
        let stdin = io::stdin();
        let mut fds = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        let control = self.obeys().then(|| stdin.as_fd());
        let channel = self.stage_channel.as_ref().map(UnixStream::as_fd);
        for fd in [control, channel].into_iter().flatten() {
            fds.push(PollFd::new(fd, PollFlags::POLLIN));
        }
        // Interrupted or not, everything is looked at again.
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

    /// Whether the daemon can still change anything.
    fn obeys(&self) -> bool {
        !matches!(self.stage, Stage::Killing { .. })
    }

    fn time_left(&self) -> PollTimeout {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let left = match self.stage {
            Stage::Running { until: None } => return PollTimeout::NONE,
            Stage::Running { until: Some(until) }
            | Stage::Lingering { until }
            | Stage::Asked { until } => left(until),
            Stage::Killing { until } => KILL_INTERVAL.min(left(until)),
        };
        // Rounded up, or the end would be waited for in a busy loop.
        let milliseconds = left.as_micros().div_ceil(1000).min(i32::MAX as u128);
        i32::try_from(milliseconds)
            .ok()
            .and_then(|left| PollTimeout::try_from(left).ok())
            .unwrap_or(PollTimeout::ZERO)
    }

    /// Does what the daemon asks for, or what its end does.
    fn obey(&mut self, control: BorrowedFd<'_>) {
        let mut bytes = [0; 16];
        match nix::unistd::read(control, &mut bytes) {
            Ok(0) => self.kill(),
            Ok(count) if bytes[..count].contains(&STOP) => self.ask(),
            Ok(_) | Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.kill(),
        }
    }

    /// Passes on what the stage says. To be called when it has said everything.
    fn read_channel(&mut self) {
        let Some(mut channel) = self.stage_channel.take() else {
            return;
        };
        let mut text = Vec::new();
        if channel.read_to_end(&mut text).is_err() {
            return;
        }
        let error = match text.strip_prefix(UNPROTECTED) {
            Some(rest) => {
                say(&Report::Unprotected);
                self.are_mounted = false;
                rest
            }
            None => &text,
        };
        if !error.is_empty() {
            say(&Report::Failed(String::from_utf8_lossy(error).into_owned()));
        }
    }

    /// What a signal asks for. The end of a child is noticed with every round anyway.
    fn take_signal(&mut self) {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            match i32::try_from(signal.ssi_signo).map(NixSignal::try_from) {
                Ok(Ok(NixSignal::SIGCHLD)) => {}
                Ok(Ok(NixSignal::SIGUSR1)) if getppid().as_raw() == self.daemon => {}
                _ => self.kill(),
            }
        }
    }
}

/// Makes the signals that matter arrive in order instead of interrupting.
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

/// Reads the job, and not a byte more.
fn read_job() -> io::Result<Job> {
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

/// Starts the stage, which becomes the shell. Returns its number and the channel to it.
fn start_stage(mut job: StageJob) -> io::Result<(i32, UnixStream)> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let child = Command::new("/proc/self/exe")
        .arg(CONFINE)
        .env_clear()
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::inherit())
        .stderr(Stdio::from(output))
        .spawn()?;
    job.parent = getpid().as_raw();
    // If the stage ended already, its end says more than this would.
    if serde_json::to_writer(&mut ours, &job).is_ok() {
        let _ignored: io::Result<()> = ours.shutdown(std::net::Shutdown::Write);
    }
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok((pid, ours))
}
