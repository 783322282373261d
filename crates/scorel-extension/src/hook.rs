//! Hooks as they are written down.

mod command;
mod entry;
mod event;
mod matcher;
mod name;
mod point;
mod sandbox;
mod section;

pub use command::HookCommand;
pub use entry::{HookEntry, OnFailure};
pub use event::{HookEvent, HookStage, MatchedWord};
pub use matcher::{Matcher, MatcherError};
pub use name::HookName;
pub use point::ContextPoint;
pub use sandbox::HookSandbox;
pub use section::HookSection;
