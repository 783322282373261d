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
//! last process has ended, and those at the top several times a second while it runs. The supervisor
//! does that, so it also happens when the daemon is killed.
//! The daemon holds a second snapshot for a supervisor that is killed. If both are killed at once,
//! or the machine stops, the changes stay: a snapshot is in memory only.
//!
//! Git's configuration at the top is none of these: a command gets a copy of it, see [`SettingsCopy`].
//!
//! A comparison cannot tell who changed a file. A person's change in a guarded place while a command
//! runs is undone as well; the changed version is kept beside it.

mod gitlinks;
mod outcome;
mod place;

#[cfg(target_os = "linux")]
mod copies;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod found;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod kept;
#[cfg(target_os = "linux")]
mod module;
#[cfg(target_os = "linux")]
mod recorded;
#[cfg(target_os = "linux")]
mod repository;
#[cfg(target_os = "linux")]
mod restore;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod snapshot;
#[cfg(target_os = "linux")]
mod state;
#[cfg(target_os = "linux")]
mod trail;

#[cfg(target_os = "linux")]
pub(crate) use copies::{LINK, MadeCopy, SettingsCopies};
pub use gitlinks::may_link_to_unsearched;
#[cfg(target_os = "linux")]
pub(crate) use keeper::GuardKeeper;
pub(crate) use outcome::RestoreOutcome;
pub use place::{Guard, GuardRule, GuardedPlace, SettingsCopy, UNSEARCHED};
#[cfg(target_os = "linux")]
pub(crate) use snapshot::Snapshot;
