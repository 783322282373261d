//! Common parts of the processes between the supervisor and the shell.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::process::Command;

use nix::unistd::{dup2_stderr, dup2_stdin};

use super::masks::MaskError;
use super::mount_error::MountError;
use super::seccomp::SeccompError;
use super::space::SpaceError;
use super::{descriptors, landlock};
use crate::child_pipes::ChildPipes;
use crate::job::{StageJob, StageReport, write_report};
use crate::working_directory::DirectoryError;

/// The exit code of a stage that did not become the shell; shells use the same for a command that
/// cannot be found.
pub(super) const NOT_STARTED: u8 = 127;

#[derive(Debug, thiserror::Error)]
pub(super) enum StageError {
    #[error("the supervisor is gone")]
    ParentGone,
    #[error("cannot prepare the process: {0}")]
    Process(#[from] nix::Error),
    #[error("cannot read the job or prepare what the command needs: {0}")]
    Io(#[from] io::Error),
    #[error("a command without a sandbox gets no namespaces")]
    NoSandbox,
    #[error("cannot mount files outside writable places read-only: {0}")]
    Mounts(#[from] MountError),
    #[error("cannot make the command's namespaces: {0}")]
    Space(#[from] SpaceError),
    #[error("cannot cover hidden files: {0}")]
    Masks(#[from] MaskError),
    #[error("cannot enter the working directory: {0}")]
    Directory(#[from] DirectoryError),
    #[error("cannot restrict the files: {0}")]
    Landlock(#[from] landlock::LandlockError),
    #[error("cannot restrict the system calls: {0}")]
    Seccomp(#[from] SeccompError),
    #[error("cannot start {program}: {source}")]
    Program { program: String, source: io::Error },
}

impl StageError {
    pub(super) fn program(job: &StageJob, source: io::Error) -> Self {
        Self::Program {
            program: job.program.display().to_string(),
            source,
        }
    }
}

/// The work of a copy of the supervisor. It reads its job from the socket, and returns the exit code.
pub(crate) type StageTask = fn(&mut UnixStream) -> u8;

/// Does the work of a stage, in a copy of the supervisor. Errors are written to `channel`.
pub(crate) fn run(mut channel: UnixStream, task: StageTask) -> u8 {
    match leave_supervisor(&channel) {
        Ok(()) => task(&mut channel),
        Err(error) => fail(&mut channel, &error.into()),
    }
}

/// Closes what is the supervisor's, and what the process which started the daemon has left open. The supervisor's
/// output is the command's.
fn leave_supervisor(channel: &UnixStream) -> io::Result<()> {
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stderr(io::stdout())?;
    descriptors::close_inherited(Some(channel.as_raw_fd()))
}

pub(super) fn fail(channel: &mut UnixStream, error: &StageError) -> u8 {
    write_report(&StageReport::Failed(error.to_string()), channel);
    NOT_STARTED
}

/// Blocks until the standard streams of the command have come, if it gets its own.
pub(super) fn receive_pipes(
    channel: &UnixStream,
    job: &StageJob,
) -> io::Result<Option<ChildPipes>> {
    let receive = || ChildPipes::receive(channel);
    job.piped.then(receive).transpose()
}

/// Tells that the command is prepared, and blocks until it may start.
pub(super) fn wait_for_go(mut channel: &UnixStream) -> Result<(), StageError> {
    write_report(&StageReport::Prepared, channel);
    let mut byte = [0];
    channel
        .read_exact(&mut byte)
        .map_err(|_| StageError::ParentGone)?;
    Ok(())
}

/// The job's command, with its standard streams: `pipes`, or else this process's.
pub(super) fn command(job: &StageJob, pipes: Option<ChildPipes>) -> Command {
    let mut command = Command::new(&job.program);
    command
        .args(&job.arguments)
        .env_clear()
        .envs(job.environment.iter());
    if let Some(pipes) = pipes {
        pipes.attach(&mut command);
    }
    command
}
