//! Protected files that a read-only mount cannot cover: compared after a command and put back.
//!
//! Mounts ([`Sandbox::protected`](crate::Sandbox::protected)) keep a command from changing protected
//! files that exist at the top of its project. They cannot cover
//!
//! - a file that does not exist yet: there is nothing to mount over, and a placeholder would be
//!   visible to everyone else who looks into the project;
//! - repositories further down: nothing that holds a mount point can be removed or renamed, so
//!   `rm -rf build` would fail with `EBUSY` as soon as a build has cloned something there;
//! - anything on a kernel without user and mount namespaces for this user: AppArmor's restriction on
//!   Ubuntu, Docker's seccomp profile, `user.max_user_namespaces = 0`.
//!
//! For those, [`Snapshot`] records the places before the command starts and restores them when its
//! last process has ended. The supervisor does that, so it also happens when the daemon is killed.
//! The daemon holds a second snapshot for a supervisor that is killed. If both are killed at once,
//! or the machine stops, the changes stay: a snapshot is in memory only.
//!
//! A comparison cannot tell who changed a file. A person's change in a guarded place while a command
//! runs is undone as well; the changed version is kept beside it.

mod place;

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod kept;
#[cfg(target_os = "linux")]
mod repository;
#[cfg(target_os = "linux")]
mod restore;
#[cfg(target_os = "linux")]
mod snapshot;
#[cfg(target_os = "linux")]
mod state;

pub use place::{Guard, GuardRule, GuardedPlace};
#[cfg(target_os = "linux")]
pub(crate) use snapshot::{RestoreOutcome, Snapshot};
