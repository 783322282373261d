//! The supervisor's preparations before it waits.

use std::io;
use std::os::unix::net::UnixStream;

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::getppid;

use super::children::ChildProcesses;
use super::stage_channel::StageChannel;
use crate::confine::{StageTask, run_stage};

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

/// Reads pending signals. Returns whether one of them is to end this process. Ended children are waited
/// for anyway.
pub(super) fn is_told_to_end(signals: &SignalFd, daemon: i32) -> bool {
    let mut is_told = false;
    while let Ok(Some(signal)) = signals.read_signal() {
        is_told |= match i32::try_from(signal.ssi_signo).map(Signal::try_from) {
            Ok(Ok(Signal::SIGCHLD)) => false,
            // The thread that started this process has ended, and the daemon has not.
            Ok(Ok(Signal::SIGUSR1)) => getppid().as_raw() != daemon,
            _ => true,
        };
    }
    is_told
}

/// Starts the stage, which becomes the shell or starts the init of a pid namespace. Returns it and
/// the channel to it.
pub(super) fn start_stage(task: StageTask) -> io::Result<(ChildProcesses, StageChannel)> {
    let (ours, theirs) = UnixStream::pair()?;
    let stage = scorel_seccomp::fork(|| run_stage(theirs, task))?;
    Ok((ChildProcesses::new(stage), StageChannel::new(ours)?))
}
