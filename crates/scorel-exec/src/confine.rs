//! The stage: gives up what the command must not have and becomes the shell.
//!
//! It is a process of its own and not a `pre_exec` closure of the supervisor, which would need
//! `unsafe`: between `fork` and `exec` only async-signal-safe calls are allowed.

mod capabilities;
mod descriptors;
mod grants;
mod landlock;
mod loopback;
mod masks;
mod mounts;
mod seccomp;
mod space;
mod working_directory;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{dup2_stdin, getppid};

use crate::job::StageJob;

use working_directory::WorkingDirectory;

pub(crate) use landlock::version as landlock_version;
pub(crate) use mounts::{are_available as has_mounts, try_mounts};
pub(crate) use seccomp::is_there as has_seccomp;
pub(crate) use space::{are_available as has_spaces, hold as hold_space, try_space};

/// The exit code of a stage that did not become the shell; shells use the same for a command that
/// cannot be found.
const NOT_STARTED: u8 = 127;

#[derive(Debug, thiserror::Error)]
enum StageError {
    #[error("the supervisor is gone")]
    ParentGone,
    #[error("cannot prepare the process: {0}")]
    Process(#[from] nix::Error),
    #[error("cannot parse the job: {0}")]
    Job(#[from] serde_json::Error),
    #[error("cannot read the job or open what the command needs: {0}")]
    Io(#[from] io::Error),
    #[error("cannot mount protected files read-only: {0}")]
    Mounts(#[from] mounts::MountError),
    #[error("cannot make the command's network and shared memory: {0}")]
    Space(#[from] space::SpaceError),
    #[error("cannot cover hidden files: {0}")]
    Masks(#[from] masks::MaskError),
    #[error("cannot enter the working directory: {0}")]
    Directory(#[from] working_directory::DirectoryError),
    #[error("cannot restrict the files: {0}")]
    Landlock(#[from] landlock::LandlockError),
    #[error("cannot restrict the system calls: {0}")]
    Seccomp(#[from] seccompiler::Error),
    #[error("cannot start {shell}: {source}")]
    Shell { shell: String, source: io::Error },
}

/// Reads a job from standard input, a socket, and becomes the shell. Errors are written to the
/// socket, which closes on `exec`.
pub(crate) fn confine() -> ExitCode {
    let Ok(mut channel) = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(UnixStream::from)
    else {
        return ExitCode::from(NOT_STARTED);
    };
    let Err(error) = become_shell(&mut channel);
    // Fails if the supervisor is gone, and then no process reads it.
    let _ignored: io::Result<()> = channel.write_all(error.to_string().as_bytes());
    ExitCode::from(NOT_STARTED)
}

fn become_shell(channel: &mut UnixStream) -> Result<std::convert::Infallible, StageError> {
    let mut text = Vec::new();
    channel.read_to_end(&mut text)?;
    let job: StageJob = serde_json::from_slice(&text)?;
    descriptors::close_inherited(Some(channel.as_raw_fd()))?;
    if let Some(sandbox) = &job.sandbox {
        // Landlock and seccomp demand it of a process without CAP_SYS_ADMIN, and without it a
        // set-user-id program would bring capabilities back.
        prctl::set_no_new_privs()?;
        // Before Landlock: a process that is restricted by it cannot mount.
        let directory = WorkingDirectory::current()?;
        space::enter(sandbox, &directory)?;
        mounts::protect(sandbox)?;
        masks::cover(sandbox)?;
        directory.enter()?;
    }
    // After the namespace was entered: a change of credentials resets the signal.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // The signal does not come if the supervisor died before it was asked for.
    if getppid().as_raw() != job.parent {
        return Err(StageError::ParentGone);
    }
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    if let Some(soft) = job.open_files {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, soft.min(hard), hard)?;
    }
    // The supervisor blocks signals, and the mask survives fork and exec.
    SigSet::empty().thread_set_mask()?;
    dup2_stdin(File::open("/dev/null")?)?;
    if let Some(sandbox) = &job.sandbox {
        landlock::restrict(sandbox)?;
        capabilities::restrict().map_err(io::Error::from)?;
        seccomp::restrict(sandbox.may_use_sockets())?;
    }
    if let Some(mask) = job.umask {
        umask(Mode::from_bits_truncate(mask.bits()));
    }
    let source = Command::new(&job.shell)
        .arg("-c")
        .arg(&job.command)
        .env_clear()
        .envs(job.environment)
        .exec();
    Err(StageError::Shell {
        shell: job.shell.display().to_string(),
        source,
    })
}
