//! What the supervisor sets up before it waits.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::getpid;

use super::stage_channel::StageChannel;
use crate::job::{NamespaceJob, StageJob};
use crate::role::Role;

/// Blocks the signals that are handled and receives them through a descriptor, so that one `poll`
/// waits for everything and nothing runs in a signal handler.
pub(super) fn take_signals() -> io::Result<SignalFd> {
    let mut signals = SigSet::empty();
    for signal in [
        Signal::SIGCHLD,
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTERM,
        Signal::SIGUSR1,
    ] {
        signals.add(signal);
    }
    signals.thread_block()?;
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    Ok(SignalFd::with_flags(&signals, flags)?)
}

/// Starts the stage, which becomes the shell or starts the init of a pid namespace. Returns its process
/// id and the channel to it.
pub(super) fn start_stage(mut job: StageJob) -> io::Result<(i32, StageChannel)> {
    let (ours, theirs) = UnixStream::pair()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let namespaces = job.sandbox.as_ref().map(NamespaceJob::of);
    let namespaces = namespaces.filter(|namespaces| namespaces.isolation.processes);
    let role = match namespaces {
        Some(_) => Role::Namespaces,
        None => Role::Stage,
    };
    let child = Command::new("/proc/self/exe")
        .arg(role.argument())
        .env_clear()
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::inherit())
        .stderr(Stdio::from(output))
        .spawn()?;
    job.parent = getpid().as_raw();
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok((pid, StageChannel::open(ours, namespaces.as_ref(), &job)?))
}
