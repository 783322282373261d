//! The permission engine from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bash_agrees;
mod decisions;
mod fingerprints;
mod grants;
mod ordinary_commands;
mod properties;
mod refused_commands;
mod rules;
mod support;
