//! The interactive terminal client: a session in the terminal's own scrollback, with a live region at its bottom.
//!
//! Inputs (keys, the session's stream, the daemon's feed, answers) change the state in one place; effects and lines come
//! out of it. The loop waits for nothing but the next input: calls run in a bounded set of tasks.

#![warn(missing_docs)]

mod app;
mod attach;
mod call;
mod card;
pub mod composer;
mod effect;
mod foreground;
#[cfg(test)]
mod guide;
mod host_state;
mod interactive;
mod jobs;
pub mod keys;
mod mentions;
mod options;
mod picker;
mod plain;
pub mod region;
mod settings;
pub mod size;
mod slash;
pub mod terminal;
mod wording;
mod worker;

pub use attach::attach;
pub use mentions::Mentions;
pub use options::{AttachError, AttachOptions};
pub use settings::{AttachSettings, SendAs, SettingsError};
