//! The stage before the supervisor has its order.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signalfd::SignalFd;
use nix::unistd::getpid;

use super::children::ChildProcesses;
use super::setup::{is_told_to_end, start_stage};
use super::stage_channel::StageChannel;
use crate::child_pipes::ChildPipes;
use crate::confine::{confine, enter_namespaces};
use crate::job::{ShellExit, StageJob, StageReport, StandbyJob, write_job};
use crate::working_directory::DirectoryError;

/// The reason why there is no command to supervise.
#[derive(Debug, thiserror::Error)]
pub(super) enum StandbyError {
    #[error("cannot supervise a command: {0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Stage(String),
    #[error("the supervisor was told to end")]
    Signal,
    #[error("cannot enter the working directory: {0}")]
    Directory(#[from] DirectoryError),
}

/// The part of a command that exists before its order: the init of its pid namespace, which waits for
/// the stage's job. `None` if the command gets no pid namespace.
pub(super) struct WaitingStage(Option<(ChildProcesses, StageChannel)>);

impl WaitingStage {
    pub(super) fn start(standby: &StandbyJob) -> io::Result<Self> {
        let Some(namespaces) = &standby.namespaces else {
            return Ok(Self(None));
        };
        let (stage, mut channel) = start_stage(enter_namespaces)?;
        channel.send(|stream| write_job(namespaces, stream))?;
        Ok(Self(Some((stage, channel))))
    }

    /// Waits until `input` has something to read, which may be its end. Fails before that if the stage
    /// has, or if the supervisor is to end.
    pub(super) fn wait_for_order(
        &mut self,
        signals: &SignalFd,
        input: &File,
        daemon: i32,
    ) -> Result<(), StandbyError> {
        loop {
            let readable = |fd| PollFd::new(fd, PollFlags::POLLIN);
            let channel = self.0.as_ref().and_then(|(_, channel)| channel.readable());
            let mut fds = vec![readable(signals.as_fd()), readable(input.as_fd())];
            fds.extend(channel.map(readable));
            // After EINTR no descriptor is ready.
            let _ignored = poll(&mut fds, PollTimeout::NONE);
            let has_order = fds[1].any() == Some(true);
            if is_told_to_end(signals, daemon) {
                return Err(StandbyError::Signal);
            }
            self.attend()?;
            if has_order {
                return Ok(());
            }
        }
    }

    /// Takes what the stage has reported.
    fn attend(&mut self) -> Result<(), StandbyError> {
        let Some((children, channel)) = &mut self.0 else {
            return Ok(());
        };
        let exit = children.reap();
        for report in channel.read() {
            match report {
                StageReport::Namespace { init } => children.set_init(init),
                StageReport::Failed(message) => return Err(StandbyError::Stage(message)),
                StageReport::Prepared | StageReport::Exited(_) => {}
            }
        }
        // The process that makes the namespaces ends before the init does.
        let has_failed = exit.is_some_and(|exit| exit != ShellExit::Code(0));
        if has_failed || channel.readable().is_none() {
            let message = "the process that was to start the command has ended";
            return Err(StandbyError::Stage(message.to_owned()));
        }
        Ok(())
    }

    /// Gives the stage its job, and starts it before if nothing was started. It prepares the command and
    /// waits for its start.
    pub(super) fn begin(
        &mut self,
        mut job: StageJob,
        pipes: Option<ChildPipes>,
    ) -> io::Result<(ChildProcesses, StageChannel)> {
        let (children, mut channel) = match self.0.take() {
            Some(started) => started,
            None => start_stage(confine)?,
        };
        job.parent = getpid().as_raw();
        // Fails if the stage has ended already. Its report or its exit code says why.
        let _ignored: io::Result<()> = channel.send(|stream| write_job(&job, stream));
        if let Some(pipes) = pipes {
            let _ignored: io::Result<()> = channel.send(|stream| pipes.send(stream));
        }
        Ok((children, channel))
    }

    /// Ends the stage, if one was started.
    pub(super) fn end(self) {
        if let Some((children, channel)) = self.0 {
            end_stage(children, channel);
        }
    }
}

/// Closes the channel and waits for the stage: its command never comes, and EOF ends it.
pub(super) fn end_stage(mut children: ChildProcesses, channel: StageChannel) {
    drop(channel);
    children.wait();
}
