//! The first process of a command's pid namespace.
//!
//! The process that calls `unshare` does not enter the namespace, its first child does. So one process
//! makes the namespaces, starts the init and ends; the supervisor, a subreaper, becomes the init's
//! parent. The init
//!
//! - reaps what loses its parent, and ends when no process is left;
//! - ends when the supervisor does, and the kernel then kills every process of the namespace;
//! - is outside the shell's Landlock domain, which it puts on one thread only, and undumpable: the
//!   command can neither signal nor trace it. From inside the namespace the kernel ignores SIGKILL to
//!   it anyway.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::thread::{self, ScopedJoinHandle};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};
use scorel_seccomp::Listener;

use super::arranged::arrange_mounts;
use super::connector::Connector;
use super::landlock::{FileRules, LandlockError};
use super::stage::{NOT_STARTED, StageError, command, fail, receive_pipes, wait_for_go};
use super::terminals::{NEW_TERMINAL, TERMINALS};
use super::{capabilities, mounts, process, seccomp, space};
use crate::child_pipes::ChildPipes;
use crate::job::{NamespaceJob, ShellExit, StageJob, StageReport, read_job, write_report};
use crate::sandbox::Sandbox;
use crate::surroundings::{SHARED_MEMORY, Surroundings};

/// Makes the namespaces and starts the init, which reads the job from the same socket.
pub(crate) fn enter_namespaces(channel: &mut UnixStream) -> u8 {
    match start_init(channel) {
        Ok(init) => {
            write_report(&StageReport::Namespace { init }, channel);
            0
        }
        Err(error) => fail(channel, &error),
    }
}

fn start_init(channel: &mut UnixStream) -> Result<i32, StageError> {
    let job: NamespaceJob = read_job(&mut *channel)?;
    prctl::set_no_new_privs()?;
    // Before the pid namespace: from there the holder of a shared space has no process id.
    space::enter(&job)?;
    capabilities::keep_mounting().map_err(io::Error::from)?;
    Ok(scorel_seccomp::fork(|| init(channel))?)
}

/// Starts the shell and stays until the last process has ended.
fn init(channel: &mut UnixStream) -> u8 {
    match start(channel) {
        Ok((shell, signals)) => attend(shell, &signals, channel),
        Err(error) => fail(channel, &error),
    }
}

/// Starts the shell and what serves it.
fn start(channel: &mut UnixStream) -> Result<(i32, SignalFd), StageError> {
    let (shell, listener) = start_shell(channel)?;
    // Not from the thread that started the shell, which is restricted itself.
    listener.map(Connector::start).transpose()?;
    Ok((shell, child_signals()?))
}

/// Tells of ended children. The supervisor has blocked the signal, and the mask survives fork and exec.
fn child_signals() -> nix::Result<SignalFd> {
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    SignalFd::with_flags(&SigSet::from(Signal::SIGCHLD), flags)
}

/// Waits for every process of the namespace, or for the end of the supervisor.
fn attend(shell: i32, signals: &SignalFd, channel: &mut UnixStream) -> u8 {
    while reap(shell, channel) {
        let readable = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let mut fds = [readable(signals.as_fd()), readable(channel.as_fd())];
        // After EINTR neither is ready.
        let _ignored = poll(&mut fds, PollTimeout::NONE);
        // The supervisor writes nothing more, so it is gone.
        if fds[1].any() == Some(true) {
            return NOT_STARTED;
        }
        while let Ok(Some(_)) = signals.read_signal() {}
    }
    0
}

/// Waits for every child that has ended, and reports the shell's end. Returns whether there are more.
fn reap(shell: i32, channel: &mut UnixStream) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == shell => {
                if let Some(exit) = ShellExit::of(status) {
                    write_report(&StageReport::Exited(exit), &mut *channel);
                }
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            // ECHILD.
            Err(_) => return false,
        }
    }
}

/// Returns the process id of the shell, and what receives its calls.
fn start_shell(channel: &mut UnixStream) -> Result<(i32, Option<Listener>), StageError> {
    // While it waits for the job: no other process of the user may trace this one.
    prctl::set_dumpable(false)?;
    let job: StageJob = read_job(&mut *channel)?;
    let pipes = receive_pipes(channel, &job)?;
    let Some(sandbox) = &job.sandbox else {
        return Err(StageError::NoSandbox);
    };
    thread::scope(|scope| {
        // In the mounts that are there now, which the process leaves and this thread does not.
        let rules = scope.spawn(|| FileRules::make(sandbox, own_mounts(sandbox)));
        make_mounts(&job, sandbox)?;
        let spawned = scope.spawn(|| spawn_shell(&job, sandbox, rules, pipes, channel));
        joined(spawned)?
    })
}

/// Makes the command's mounts, and drops what that takes.
fn make_mounts(job: &StageJob, sandbox: &Sandbox) -> Result<(), StageError> {
    // An undumpable process cannot write to its own files below /proc.
    prctl::set_dumpable(true)?;
    space::enter_mounts(&NamespaceJob::of(sandbox))?;
    mounts::mount_proc()?;
    process::prepare(job)?;
    process::limit_tasks(job)?;
    arrange_mounts(job, sandbox)?;
    process::limit(job)?;
    prctl::set_dumpable(false)?;
    Ok(capabilities::restrict().map_err(io::Error::from)?)
}

/// Where the command gets something else mounted than there is.
fn own_mounts(sandbox: &Sandbox) -> &'static [&'static str] {
    match sandbox.surroundings {
        Surroundings::Own => &["/proc", NEW_TERMINAL, TERMINALS, SHARED_MEMORY],
        Surroundings::Host | Surroundings::Shared(_) => &["/proc", NEW_TERMINAL, TERMINALS],
    }
}

/// Restricts the calling thread and, when the command may start, starts the shell from it.
fn spawn_shell(
    job: &StageJob,
    sandbox: &Sandbox,
    rules: ScopedJoinHandle<'_, Result<FileRules, LandlockError>>,
    pipes: Option<ChildPipes>,
    channel: &UnixStream,
) -> Result<(i32, Option<Listener>), StageError> {
    // The supervisor blocks signals, and the mask survives fork and exec.
    SigSet::empty().thread_set_mask()?;
    joined(rules)??.restrict()?;
    let listener = seccomp::restrict(sandbox)?;
    let mut command = command(job, pipes);
    wait_for_go(channel)?;
    let started = command.spawn();
    let child = started.map_err(|source| StageError::program(job, source))?;
    let shell = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok((shell, listener))
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> Result<T, StageError> {
    let joined = thread.join();
    joined.map_err(|_| io::Error::other("a thread of the command's init has panicked").into())
}
