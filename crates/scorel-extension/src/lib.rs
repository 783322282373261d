//! Programs of users and projects around a session. Nothing here knows sessions.
//!
//! A hook is a command that sees calls, results and requests ([`hook`]): [`hook::HookEntry`] is one as it is
//! written down, in our words or in those of Claude Code.

mod problem;

pub mod hook;

pub use problem::{Problem, nearest};
