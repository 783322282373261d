//! The stage: gives up what the command must not have and becomes the shell.

mod capabilities;
mod grants;
mod landlock;
mod mounts;
mod seccomp;

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{close, dup2_stdin, getppid};

use crate::job::StageJob;

pub(crate) use landlock::version as landlock_version;
use mounts::Protection;
pub(crate) use mounts::{is_there as has_mounts, try_mounts};
pub(crate) use seccomp::is_there as has_seccomp;

/// What the stage says if it cannot protect what it should.
pub(crate) const UNPROTECTED: &[u8] = b"unprotected\n";

/// The exit code of a stage that did not become the shell.
const NOT_STARTED: u8 = 127;

/// Why the command cannot be run as it should be.
#[derive(Debug, thiserror::Error)]
enum StageError {
    #[error("the supervisor is gone")]
    Alone,
    #[error("cannot prepare the process: {0}")]
    Process(#[from] nix::Error),
    #[error("cannot understand the job: {0}")]
    Job(#[from] serde_json::Error),
    #[error("cannot read the job or open what the command needs: {0}")]
    Io(#[from] io::Error),
    #[error("cannot restrict the files: {0}")]
    Landlock(#[from] landlock::LandlockError),
    #[error("cannot restrict the system calls: {0}")]
    Seccomp(#[from] seccompiler::Error),
    #[error("cannot start {shell}: {source}")]
    Shell { shell: String, source: io::Error },
}

/// Reads a job from the standard input, a socket, and carries it out. What goes wrong is written to
/// that socket; it closes when the process becomes the shell.
pub(crate) fn confine() -> ExitCode {
    let Ok(mut channel) = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(UnixStream::from)
    else {
        return ExitCode::from(NOT_STARTED);
    };
    let Err(error) = become_shell(&mut channel);
    // Nobody is left to tell if this fails.
    let _ignored: io::Result<()> = channel.write_all(error.to_string().as_bytes());
    ExitCode::from(NOT_STARTED)
}

fn become_shell(channel: &mut UnixStream) -> Result<std::convert::Infallible, StageError> {
    let mut text = Vec::new();
    channel.read_to_end(&mut text)?;
    let job: StageJob = serde_json::from_slice(&text)?;
    close_inherited(channel.as_raw_fd())?;
    if let Some(sandbox) = &job.sandbox {
        prctl::set_no_new_privs()?;
        if mounts::protect(sandbox)? == Protection::Unavailable {
            channel.write_all(UNPROTECTED)?;
        }
    }
    // A change of privileges would have reset it.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid().as_raw() != job.parent {
        return Err(StageError::Alone);
    }
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    SigSet::empty().thread_set_mask()?;
    dup2_stdin(File::open("/dev/null")?)?;
    if let Some(sandbox) = &job.sandbox {
        landlock::restrict(sandbox)?;
        capabilities::restrict().map_err(io::Error::from)?;
        seccomp::restrict(sandbox.network)?;
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

/// Closes what whoever started the daemon had left open, and all ancestors handed on.
fn close_inherited(except: RawFd) -> io::Result<()> {
    let entries = fs::read_dir("/proc/self/fd")?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let open: Vec<RawFd> = names.filter_map(|name| name.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2 && *fd != except) {
        // The directory itself was among them, and is closed already.
        let _ignored = close(fd);
    }
    Ok(())
}
