//! Programs of users and projects around a session. Nothing here knows sessions.
//!
//! A hook is a command that sees calls, results and requests ([`hook`]): [`hook::HookEntry`] is one as it is
//! written down, in our words or in those of Claude Code. An extension may have a program of its own
//! ([`program`]).

mod arguments;
mod extension_id;
mod problem;
mod short_name;

pub mod hook;
pub mod program;

pub use arguments::expand_arguments;
pub use extension_id::ExtensionId;
pub use problem::{Problem, nearest};
pub use short_name::is_short_name;
