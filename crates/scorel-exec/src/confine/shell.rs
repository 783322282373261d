//! The stage that becomes the shell itself, without a pid namespace.

use std::convert::Infallible;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::getppid;

use super::arranged::arrange_mounts;
use super::landlock::FileRules;
use super::stage::{StageError, command, fail, receive_pipes, wait_for_go};
use super::{capabilities, process, seccomp, space};
use crate::job::{NamespaceJob, StageJob, read_job};

/// Reads a job and becomes the shell. The channel closes on `exec`.
pub(crate) fn confine(channel: &mut UnixStream) -> u8 {
    let Err(error) = become_shell(channel);
    fail(channel, &error)
}

fn become_shell(channel: &mut UnixStream) -> Result<Infallible, StageError> {
    let job: StageJob = read_job(&mut *channel)?;
    // The supervisor is not, and an undumpable process cannot write to its own files below /proc.
    prctl::set_dumpable(true)?;
    let pipes = receive_pipes(channel, &job)?;
    process::prepare(&job)?;
    if let Some(sandbox) = &job.sandbox {
        // Landlock and seccomp demand it of a process without CAP_SYS_ADMIN, and without it a
        // set-user-id program would bring capabilities back.
        prctl::set_no_new_privs()?;
        // Before Landlock: a process that is restricted by it cannot mount.
        let namespaces = NamespaceJob::of(sandbox);
        if namespaces.has_mounts() {
            space::enter(&namespaces)?;
            space::enter_mounts(&namespaces)?;
            arrange_mounts(&job, sandbox)?;
        }
    }
    // After the namespace was entered: a change of credentials resets the signal.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // The signal does not come if the supervisor died before it was asked for.
    if getppid().as_raw() != job.parent {
        return Err(StageError::ParentGone);
    }
    process::limit(&job)?;
    // The supervisor blocks signals, and the mask survives fork and exec.
    SigSet::empty().thread_set_mask()?;
    if let Some(sandbox) = &job.sandbox {
        FileRules::make(sandbox, &[])?.restrict()?;
        capabilities::restrict().map_err(io::Error::from)?;
        seccomp::restrict(sandbox)?;
    }
    let mut command = command(&job, pipes);
    wait_for_go(channel)?;
    let source = command.exec();
    Err(StageError::program(&job, source))
}
