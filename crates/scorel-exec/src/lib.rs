//! Commands under a supervisor, in a sandbox.
//!
//! In: a [`CommandOrder`] with a [`Sandbox`]. Out: a [`Run`], with the output so far and finally a
//! [`RunEnd`]; or a [`PipedRun`], whose caller writes the input and reads the output itself. The crate
//! knows no tools and no sessions; the caller decides what a command may do.
//!
//! A command runs below a process or two of the program's own:
//!
//! ```text
//! daemon ─ thread `scorel-run` (pump) ═ pipes ═ supervisor ─ stage → shell ─ the command's processes
//!                                                     or ─ init ─ shell ─ the command's processes
//! ```
//!
//! The **supervisor** is this program, executed again. It is a session leader and a subreaper: every
//! orphan below it becomes its child, so it can kill all that a command has started. It does so when
//! the shell has ended, at the time limit, on request, and when the daemon is gone. The **stage**,
//! a copy of it, gives up what the command must not have and becomes the shell. Where the
//! kernel has pid namespaces for this user, the shell runs in one, below an **init**, a copy too,
//! which ends with the last process. The supervisor stays outside: the command has no name for it.
//!
//! A supervisor can be started before its command is known, with the init ([`Standby`]): the order then
//! needs only mounts, restrictions and the shell. With the order it prepares all of these but the shell,
//! which starts at another word ([`HeldRun`]).
//!
//! [`Supervisors`] starts commands. `main` calls [`run_if_asked`] before anything else. [`Support`]
//! tells what the kernel can enforce.

mod ancestry;
mod capture;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there are no control groups")
)]
mod cgroup;
mod command_line;
#[cfg(target_os = "linux")]
mod deadline;
mod directory_stamp;
mod entry;
mod environment;
mod git_settings;
mod guard;
mod held_run;
mod job;
mod limits;
mod order;
mod piped_run;
mod process_table;
mod registry;
mod role;
mod run;
mod run_group;
mod sandbox;
mod shared_space;
mod standby;
mod supervisors;
mod support;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is nothing to remember")
)]
mod support_memory;
mod surroundings;
mod task_limit;
mod trusted_links;
mod umask;
mod working_directory;

#[cfg(target_os = "linux")]
mod child_pipes;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod pump;
#[cfg(target_os = "linux")]
mod real_place;
#[cfg(target_os = "linux")]
mod reports;
#[cfg(target_os = "linux")]
mod signal;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod supervisor_child;

pub use ancestry::descends_from;
pub use capture::{OutputSection, OutputWindow};
pub use command_line::CommandLine;
pub use directory_stamp::{DirectoryStamp, has_change_times};
pub use entry::run_if_asked;
pub use environment::Environment;
pub use git_settings::GitSetting;
pub use guard::{Guard, GuardRule, GuardedPlace, SettingsCopy, UNSEARCHED, may_link_to_unsearched};
pub use held_run::HeldRun;
pub use job::ShellExit;
pub use limits::{LimitKind, LimitScope, ReachedLimit, ResourceLimits};
pub use order::{CommandOrder, CommandResources};
pub use piped_run::PipedRun;
pub use run::{EndCause, Run, RunEnd};
pub use run_group::RunGroup;
pub use sandbox::{Isolation, Sandbox, real};
pub use shared_space::SharedSpace;
pub use standby::Standby;
pub use supervisors::{StartError, Supervisors};
pub use support::Support;
pub use support_memory::SupportMemory;
pub use surroundings::{SHARED_MEMORY, Surroundings};
pub use task_limit::TaskLimit;
pub use umask::Umask;
