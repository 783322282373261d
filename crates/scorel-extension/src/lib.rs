//! Programs of users and projects around a session. Nothing here knows sessions.
//!
//! A hook is a command that sees calls, results and requests ([`hook`]): [`hook::HookEntry`] is one as it is
//! written down, in our words or in those of Claude Code. A plugin ([`plugin`]) is a directory of another agent's kind,
//! read as it is. An extension may have a program of its own
//! ([`program`]).

mod extension_id;
mod problem;
mod short_name;

pub mod hook;
pub mod plugin;
pub mod program;

pub use extension_id::ExtensionId;
pub use problem::{Problem, nearest};
