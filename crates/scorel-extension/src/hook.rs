//! Hooks as they are written down.

pub mod claude;
mod command;
mod entry;
mod event;
mod foreign;
mod matcher;
mod name;
mod point;
mod sandbox;
mod section;

pub use command::HookCommand;
pub use entry::{HookEntry, OnFailure};
pub use event::{HookEvent, HookStage, MatchedWord};
pub use foreign::{ForeignHooks, MAX_FILE};
pub use matcher::{Matcher, MatcherError};
pub use name::HookName;
pub use point::ContextPoint;
pub use sandbox::HookSandbox;
pub use section::HookSection;
