//! The stage: gives up what the command must not have and becomes the shell.
//!
//! It is a copy of the supervisor, which has one thread only: so the copy may do whatever the supervisor may.
//! An execution of the program would take longer than all that the stage does.

mod arranged;
mod capabilities;
mod connector;
mod descriptors;
mod foreign_processes;
mod grants;
mod init;
mod landlock;
mod listening;
mod loopback;
mod masks;
mod mount_error;
mod mounts;
mod netlink;
mod own_task_limit;
mod probe;
mod process;
mod read_only;
mod seccomp;
mod settings_links;
mod shell;
mod space;
mod stage;
mod terminals;

pub(crate) use connector::is_possible as can_connect;
pub(crate) use init::enter_namespaces;
pub(crate) use landlock::version as landlock_version;
pub(crate) use mounts::{try_mounts, try_processes};
pub(crate) use own_task_limit::try_it as try_task_limit;
pub(crate) use probe::Probe;
pub(crate) use seccomp::is_there as has_seccomp;
pub(crate) use shell::confine;
pub(crate) use space::{hold as hold_space, try_space};
pub(crate) use stage::{StageTask, run as run_stage};
