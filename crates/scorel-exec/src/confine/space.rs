//! The namespaces of a command's loopback network and `/dev/shm`.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::CloneFlags;
use nix::sys::prctl;
// nix has no pidfd_open, and its setns wants a descriptor for each namespace.
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{ThreadNameSpaceType, move_into_thread_name_spaces};

use crate::job::NamespaceJob;
use crate::shared_space::MADE;
use crate::surroundings::{SHARED_MEMORY, Surroundings};

use super::mounts::{enter_mount_namespace, enter_namespaces};
use super::{capabilities, descriptors, loopback, probe};

/// Of `/dev/shm`, in bytes. Browsers and machine learning want hundreds of megabytes; by itself the
/// kernel allows half of the memory.
const SHARED_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum SpaceError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("cannot mount {SHARED_MEMORY}: {0}")]
    SharedMemory(Errno),
    #[error("the process that holds them cannot be found: {0}")]
    Holder(rustix::io::Errno),
    #[error("cannot join them: {0}")]
    Join(rustix::io::Errno),
}

/// The probe: makes a space.
pub(crate) fn try_space() -> ExitCode {
    probe::result(make().is_ok())
}

/// Holds a space until standard input ends. Tells on standard output that it was made, or why not.
pub(crate) fn hold() -> ExitCode {
    let made = prepare_holder().and_then(|()| make());
    let text = made
        .as_ref()
        .map_or_else(ToString::to_string, |()| MADE.to_owned());
    // Fails if the daemon is gone, and then so is the input.
    let _ignored: io::Result<()> = io::stdout().write_all(text.as_bytes());
    if made.is_err() || capabilities::restrict().is_err() || close_output().is_err() {
        return ExitCode::FAILURE;
    }
    let mut input = io::stdin().lock();
    while input.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
    ExitCode::SUCCESS
}

fn prepare_holder() -> Result<(), SpaceError> {
    prctl::set_no_new_privs().map_err(io::Error::from)?;
    Ok(descriptors::close_inherited(None)?)
}

/// The daemon reads until the end.
fn close_output() -> io::Result<()> {
    io::stdout().flush()?;
    let nothing = fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(nix::unistd::dup2_stdout(nothing)?)
}

/// Enters the namespaces of a command but that of its mounts: those of its surroundings, where the
/// network is allowed all but that of the network, and its own. Of a pid namespace the next child is the
/// first process.
pub(super) fn enter(namespaces: &NamespaceJob) -> Result<(), SpaceError> {
    let mut own = CloneFlags::CLONE_NEWIPC;
    own.set(CloneFlags::CLONE_NEWPID, namespaces.isolation.processes);
    let with_network = !namespaces.network;
    match namespaces.surroundings {
        Surroundings::Own if with_network => {
            enter_namespaces(own | CloneFlags::CLONE_NEWNET)?;
            return Ok(loopback::set_up()?);
        }
        Surroundings::Own | Surroundings::Host => {}
        Surroundings::Shared(holder) => join(holder, with_network)?,
    }
    Ok(enter_namespaces(own)?)
}

/// Enters a mount namespace, a copy of the one at this moment, after the [others](enter).
pub(super) fn enter_mounts(namespaces: &NamespaceJob) -> Result<(), SpaceError> {
    enter_mount_namespace()?;
    match namespaces.surroundings {
        Surroundings::Own => mount_shared_memory(),
        Surroundings::Host | Surroundings::Shared(_) => Ok(()),
    }
}

/// Makes a space for several commands.
fn make() -> Result<(), SpaceError> {
    enter_namespaces(CloneFlags::CLONE_NEWNET)?;
    loopback::set_up()?;
    enter_mount_namespace()?;
    mount_shared_memory()
}

fn mount_shared_memory() -> Result<(), SpaceError> {
    let options = format!("mode=1777,size={SHARED_MEMORY_BYTES}");
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let mounted = mount(
        Some("shm"),
        SHARED_MEMORY,
        Some("tmpfs"),
        flags,
        Some(options.as_str()),
    );
    match mounted {
        // A system without it has no programs that need it.
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(error) => Err(SpaceError::SharedMemory(error)),
    }
}

/// Joins the namespaces of `holder`. The mount namespace of the command is made from the one there. The
/// working directory becomes the root.
fn join(holder: i32, with_network: bool) -> Result<(), SpaceError> {
    let no_process = SpaceError::Holder(rustix::io::Errno::SRCH);
    let process = Pid::from_raw(holder).ok_or(no_process)?;
    let process = pidfd_open(process, PidfdFlags::empty()).map_err(SpaceError::Holder)?;
    let mut which = ThreadNameSpaceType::MOUNT;
    which.set(ThreadNameSpaceType::NETWORK, with_network);
    // Joining the own user namespace is an error. The holder made one if this user needs it.
    let user = |process: &str| fs::read_link(format!("/proc/{process}/ns/user"));
    let is_other = user("self")? != user(&holder.to_string())?;
    which.set(ThreadNameSpaceType::USER, is_other);
    move_into_thread_name_spaces(process.as_fd(), which).map_err(SpaceError::Join)?;
    // As in `enter_namespaces`: the credentials are new.
    Ok(prctl::set_dumpable(true).map_err(io::Error::from)?)
}
