//! Commands under a supervisor, in a sandbox.
//!
//! A command runs below two processes of the program's own. The **supervisor** is this program,
//! executed again: a session leader that every orphan below it falls to, so that it can end a
//! command with everything that the command started, and does so at the command's end, at its time
//! limit, when asked, and when the daemon is gone. Below it a **stage**, this program once more,
//! gives up what the command must not have and becomes the shell. The supervisor itself stays
//! outside the sandbox, so the command cannot signal it where the kernel supports that.
//!
//! [`Supervisors`] starts commands, a [`Run`] is one of them, and [`run_if_asked`] is what `main`
//! calls before anything else. [`Support`] says what the kernel can enforce.

mod ancestry;
mod capture;
mod entry;
mod environment;
mod guard;
mod job;
mod process_table;
mod run;
mod sandbox;
mod supervisors;
mod support;

#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod pump;
#[cfg(target_os = "linux")]
mod signal;
#[cfg(target_os = "linux")]
mod supervise;

pub use ancestry::descends_from;
pub use capture::{Section, Window};
pub use entry::run_if_asked;
pub use environment::Environment;
pub use guard::{Guard, GuardRule, GuardedPlace};
pub use job::{Exit, Order};
pub use run::{End, EndCause, Run};
pub use sandbox::{Sandbox, default_caches, secret_places};
pub use supervisors::{StartError, Supervisors};
pub use support::Support;
