//! The permission engine from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bash_agrees;
mod calls;
mod checkout;
mod decisions;
mod evaded;
mod full_mode;
mod grants;
mod hidden;
mod hundred_commands;
mod options;
mod ordinary_commands;
mod ordinary_hour;
mod outside_words;
mod private_fetch;
mod properties;
mod refused_commands;
mod rules;
mod started_programs;
mod support;
mod unsandboxed;
mod workspace;
