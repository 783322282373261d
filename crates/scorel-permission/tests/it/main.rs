//! The permission engine from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bash_agrees;
mod decisions;
mod grants;
mod hidden;
mod hundred_commands;
mod ordinary_commands;
mod ordinary_hour;
mod private_fetch;
mod properties;
mod refused_commands;
mod rules;
mod support;
mod unsandboxed;
mod workspace;
