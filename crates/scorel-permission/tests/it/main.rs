//! The permission engine from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bash_agrees;
mod decisions;
mod grants;
mod hidden;
mod ordinary_commands;
mod ordinary_hour;
mod properties;
mod refused_commands;
mod rules;
mod support;
