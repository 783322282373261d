//! The supervisor: runs one command and leaves no process of it behind.
//!
//! It is a process of its own, so that a command also ends when the daemon is killed, and it is a
//! subreaper, so that a process that leaves its parent (`nohup`, a double fork, `setsid`) stays below
//! it in the process table. Process groups and sessions do not help: a process leaves them at will.

mod children;
mod limit_watch;
mod memory;
mod reporting;
mod run_phase;
mod scratch;
mod setup;
mod stage_channel;
mod waiting_stage;

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::Signal as NixSignal;
use nix::sys::signalfd::SignalFd;
use nix::unistd::{dup2_stdout, getppid, setsid};
use rustix::process::Signal;

use crate::child_pipes::ChildPipes;
use crate::deadline::poll_timeout;
use crate::guard::GuardKeeper;
use crate::job::{
    EndedProcesses, GO, KILL, NamespaceJob, STOP, ShellExit, StageReport, StandbyJob,
    SupervisorJob, SupervisorReport, WatchJob, read_job,
};
use crate::limits::LimitKind;

use children::ChildProcesses;
use limit_watch::LimitWatch;
use reporting::{problem, report};
use run_phase::{CommandStart, RunPhase};
use setup::{is_told_to_end, take_signals};
use stage_channel::StageChannel;
use waiting_stage::{StandbyError, WaitingStage, end_stage};

/// The longest time that processes may outlive the shell, for example the last part of a pipeline in a process
/// substitution, which still writes output.
const LINGER: Duration = Duration::from_millis(200);

/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// The number of times that processes are listed and killed again. One that forked between the listing and its
/// own death leaves a child that got no signal; a fork bomb takes a few rounds.
const KILL_INTERVAL: Duration = Duration::from_millis(10);

/// After this, remaining processes are in an uninterruptible system call and are reported as survivors.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// Prepares for the order that is read from standard input, waits for it, prepares its command and
/// starts that at the daemon's word. Standard output becomes the command's output, unless that has pipes
/// of its own; standard error takes reports. Input is a socket to the daemon, the others are pipes. EOF
/// on standard input means that the daemon is gone, or has no command after all.
pub(crate) fn supervise() -> ExitCode {
    match SupervisorProcess::start() {
        Ok(supervisor) => supervisor.run(),
        Err(error) => {
            report(&SupervisorReport::Failed(error.to_string()));
            report(&SupervisorReport::Ended(EndedProcesses::default()));
        }
    }
    ExitCode::SUCCESS
}

struct SupervisorProcess {
    daemon: i32,
    signals: SignalFd,
    children: ChildProcesses,
    /// Carries the stage's error, and what the init of a pid namespace reports. It closes when the
    /// stage becomes the shell, since it is close-on-exec.
    channel: StageChannel,
    phase: RunPhase,
    /// Set if the stage starts the init of a pid namespace and ends.
    makes_namespace: bool,
    start: CommandStart,
    timeout: Option<Duration>,
    lasts: bool,
    /// Set once the daemon is gone and the command goes on.
    is_alone: bool,
    /// Taken when the command starts.
    watch: Option<WatchJob>,
    limits: Option<LimitWatch>,
    has_reached_limit: bool,
    /// The problems reported so far.
    problems: HashSet<&'static str>,
    keeper: GuardKeeper,
}

impl SupervisorProcess {
    fn start() -> Result<Self, StandbyError> {
        let signals = take_signals()?;
        setsid().map_err(io::Error::from)?;
        prctl::set_child_subreaper(true).map_err(io::Error::from)?;
        // No other process of the user may trace this one or open its /proc/PID/fd and mem.
        prctl::set_dumpable(false).map_err(io::Error::from)?;
        // The kernel sends this signal when the *thread* that forked ends, which may be long before
        // the daemon does. So it only makes the supervisor check getppid, in `is_told_to_end`; SIGTERM
        // would end the command.
        prctl::set_pdeathsig(NixSignal::SIGUSR1).map_err(io::Error::from)?;
        // Not buffered: the order and control bytes follow.
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let standby: StandbyJob = read_job(&input)?;
        if getppid().as_raw() != standby.parent {
            return Err(io::Error::other("the daemon is gone").into());
        }
        let mut stage = WaitingStage::start(&standby)?;
        let waited = stage.wait_for_order(&signals, &input, standby.parent);
        let started = waited.and_then(|()| Self::begin(&standby, signals, &input, &mut stage));
        if started.is_err() {
            stage.end();
        }
        started
    }

    /// Reads the order and starts the command.
    fn begin(
        standby: &StandbyJob,
        signals: SignalFd,
        input: &File,
        stage: &mut WaitingStage,
    ) -> Result<Self, StandbyError> {
        let job: SupervisorJob = read_job(input)?;
        if NamespaceJob::before_order(job.stage.sandbox.as_ref()) != standby.namespaces {
            return Err(io::Error::other("the namespaces were made for another order").into());
        }
        if !job.stage.directory.is_current()? {
            job.stage.directory.enter()?;
        }
        let piped = job.stage.piped;
        let pipes = piped.then(|| ChildPipes::receive(input)).transpose()?;
        let guard = job.stage.sandbox.as_ref().and_then(|it| it.guard.clone());
        let nowhere = OpenOptions::new().write(true).open("/dev/null")?;
        let mut keeper = GuardKeeper::new(job.copies)?;
        let (children, channel) = stage.begin(job.stage, pipes)?;
        // Meanwhile the stage makes its mounts. The daemon reads until every copy of this end of the pipe
        // is closed.
        let ready = dup2_stdout(nowhere).map_err(io::Error::from);
        if let Err(error) = ready.and_then(|()| keeper.record(guard.as_ref())) {
            end_stage(children, channel);
            return Err(error.into());
        }
        Ok(Self {
            daemon: standby.parent,
            signals,
            children,
            channel,
            phase: RunPhase::Held,
            makes_namespace: standby.namespaces.is_some(),
            start: CommandStart::Preparing,
            timeout: job.timeout_ms.map(Duration::from_millis),
            lasts: job.lasts,
            is_alone: false,
            watch: job.watch,
            limits: None,
            has_reached_limit: false,
            problems: HashSet::new(),
            keeper,
        })
    }

    fn run(mut self) {
        loop {
            let exit = self.children.reap();
            // The daemon expects the stage's error before the exit that it led to.
            self.read_channel();
            match exit {
                // That of the process that made the namespace.
                Some(ShellExit::Code(0)) if self.children.has_namespace => {}
                Some(exit) => self.shell_ended(exit),
                None => {}
            }
            self.measure();
            let restored = self.keeper.look();
            if !restored.is_empty() {
                report(&SupervisorReport::Restored(restored));
            }
            if self.children.all_ended || !self.advance(Instant::now()) {
                break;
            }
            if let Err(error) = self.wait() {
                // Without the last report, the daemon kills what is left and restores guarded places.
                return problem("cannot wait for the command", &error);
            }
        }
        self.report_last_limit();
        // Restore here and not in the daemon, which may have been killed.
        if let Some(outcome) = self.keeper.finish() {
            report(&SupervisorReport::Guarded(outcome));
        }
        let survivors = self.children.survivors();
        report(&SupervisorReport::Ended(EndedProcesses {
            signalled: self.children.signalled(),
            survivors: self
                .or_problem("cannot list what is left", survivors)
                .unwrap_or(1),
        }));
    }

    /// Lets the command start as soon as it is prepared. Its time runs from now on.
    fn release(&mut self) {
        if !matches!(self.phase, RunPhase::Held) {
            return;
        }
        self.limits = self.watch.take().map(LimitWatch::new);
        self.phase = RunPhase::Running {
            until: self.timeout.map(|timeout| Instant::now() + timeout),
        };
        self.start_if_prepared();
    }

    /// Starts the command, once. Not before the process that has its mounts is known and has made them: another's table, or
    /// that of a stage which has ended, would say nothing about them for as long as the command runs.
    fn start_if_prepared(&mut self) {
        let is_known = self.children.has_namespace || !self.makes_namespace;
        let is_released = matches!(self.phase, RunPhase::Running { .. });
        if is_released && is_known && self.start == CommandStart::Prepared {
            self.start = CommandStart::Done;
            self.keeper.start(self.children.first());
            // Fails if the stage has ended already. Its report or its exit code says why.
            let _ignored = self.channel.send(|mut stream| stream.write_all(&[GO]));
        }
    }

    fn shell_ended(&mut self, exit: ShellExit) {
        report(&SupervisorReport::Exited(exit));
        if let RunPhase::Held | RunPhase::Running { .. } = self.phase {
            self.phase = RunPhase::Lingering {
                until: Instant::now() + LINGER,
            };
        }
    }

    /// Measures what the command uses, if it is time. What cannot be measured is not limited, so the
    /// command ends then, too.
    fn measure(&mut self) {
        let is_due = |limits: &&mut LimitWatch| Instant::now() >= limits.next;
        let is_killing = matches!(self.phase, RunPhase::Killing { .. });
        let Some(limits) = self.limits.as_mut().filter(is_due).filter(|_| !is_killing) else {
            return;
        };
        match limits.measure(|limit| self.children.measured(limit)) {
            Ok(measured) => {
                if let Some(usage) = measured.usage {
                    report(&SupervisorReport::Uses(usage));
                }
                if let Some(kind) = measured.reached {
                    self.reach(kind);
                }
            }
            Err(error) => {
                problem("cannot measure what the command uses", &error);
                self.kill();
            }
        }
    }

    /// Ends a command that has reached a limit. At once: in a grace period it would go on.
    fn reach(&mut self, kind: LimitKind) {
        self.has_reached_limit = true;
        report(&SupervisorReport::LimitReached(kind));
        self.kill();
    }

    /// Reports a limit that the kernel has enforced since the last measurement.
    fn report_last_limit(&mut self) {
        if let Some(limits) = self.limits.as_ref().filter(|_| !self.has_reached_limit) {
            let enforced = limits.enforced();
            if let Some(Some(kind)) = self.or_problem("cannot read the control group", enforced) {
                report(&SupervisorReport::LimitReached(kind));
            }
        }
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
                self.kill_all();
                return now < until;
            }
            _ => {}
        }
        true
    }

    fn terminate(&mut self) {
        match self.phase {
            // No process of the command's own needs a grace period.
            RunPhase::Held => self.kill(),
            RunPhase::Running { .. } if self.start != CommandStart::Done => self.kill(),
            RunPhase::Running { .. } | RunPhase::Lingering { .. } => {
                let terminated = self.children.signal(Signal::TERM);
                // A stopped process handles SIGTERM only when it continues.
                let terminated = terminated.and_then(|()| self.children.signal(Signal::CONT));
                self.phase = RunPhase::Terminating {
                    until: Instant::now() + GRACE,
                };
                self.or_problem("cannot end the command's processes", terminated);
            }
            RunPhase::Terminating { .. } | RunPhase::Killing { .. } => {}
        }
    }

    fn kill(&mut self) {
        if !matches!(self.phase, RunPhase::Killing { .. }) {
            self.phase = RunPhase::Killing {
                until: Instant::now() + KILL_LIMIT,
            };
            self.kill_all();
        }
    }

    fn kill_all(&mut self) {
        let killed = self.children.kill();
        self.or_problem("cannot kill the command's processes", killed);
    }

    /// Reports an error, once: the next round of killing is likely to meet it again.
    fn or_problem<T>(&mut self, what: &'static str, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                if self.problems.insert(what) {
                    problem(what, &error);
                }
                None
            }
        }
    }

    /// # Errors
    /// It cannot be waited: a command outside the sandbox has lowered this process's limit of descriptors,
    /// and the kernel refuses to `poll` more of them than that.
    fn wait(&mut self) -> io::Result<()> {
        let stdin = io::stdin();
        let mut fds = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        let control = self.obeys().then(|| stdin.as_fd());
        let channel = self.channel.readable();
        for fd in [control, channel].into_iter().flatten() {
            fds.push(PollFd::new(fd, PollFlags::POLLIN));
        }
        match poll(&mut fds, self.time_left()) {
            // After EINTR no descriptor is ready, and the caller's loop goes on.
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let mut ready = fds[1..].iter().map(|fd| fd.any() == Some(true));
        let control_is_ready = control.is_some() && ready.next() == Some(true);
        // The channel is read in every round anyway.
        if control_is_ready {
            self.obey(stdin.as_fd());
        }
        if is_told_to_end(&self.signals, self.daemon) {
            if getppid().as_raw() == self.daemon {
                self.kill();
            } else {
                self.daemon_is_gone();
            }
        }
        Ok(())
    }

    /// Returns whether the control pipe still matters. After its end it would be readable all the time.
    fn obeys(&self) -> bool {
        !self.is_alone && !matches!(self.phase, RunPhase::Killing { .. })
    }

    /// Ends the command, unless it is to last. One that was only prepared ends in any case.
    fn daemon_is_gone(&mut self) {
        self.is_alone = self.lasts && !matches!(self.phase, RunPhase::Held);
        if !self.is_alone {
            self.kill();
        }
    }

    fn time_left(&self) -> PollTimeout {
        let measure = self.limits.as_ref().map(|limits| limits.next);
        let next = [measure, self.keeper.next].into_iter().flatten().min();
        poll_timeout(match self.phase {
            RunPhase::Held => None,
            RunPhase::Running { until } => [until, next].into_iter().flatten().min(),
            RunPhase::Lingering { until } | RunPhase::Terminating { until } => {
                Some(next.map_or(until, |next| next.min(until)))
            }
            RunPhase::Killing { until } => Some(until.min(Instant::now() + KILL_INTERVAL)),
        })
    }

    /// Reads the control pipe. Its end means that the daemon is gone.
    fn obey(&mut self, control: BorrowedFd<'_>) {
        let mut bytes = [0; 16];
        match nix::unistd::read(control, &mut bytes) {
            Ok(0) => self.daemon_is_gone(),
            Ok(count) if bytes[..count].contains(&KILL) => self.kill(),
            Ok(count) if bytes[..count].contains(&STOP) => self.terminate(),
            Ok(count) if bytes[..count].contains(&GO) => self.release(),
            Ok(_) | Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.daemon_is_gone(),
        }
    }

    /// Takes what the stage and the init have reported. Does not wait.
    fn read_channel(&mut self) {
        for from_stage in self.channel.read() {
            match from_stage {
                StageReport::Failed(message) => report(&SupervisorReport::Failed(message)),
                StageReport::Namespace { init } => self.children.set_init(init),
                StageReport::Prepared => self.start = CommandStart::Prepared,
                StageReport::Exited(exit) => self.shell_ended(exit),
            }
        }
        self.start_if_prepared();
    }
}
