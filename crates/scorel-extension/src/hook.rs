//! Hooks: as they are written down, and as they run.

mod aside;
pub mod claude;
mod command;
mod command_hook;
mod condition;
mod entry;
mod event;
mod failure;
mod figures;
mod foreign;
mod heard_words;
mod matcher;
mod moment_words;
mod name;
mod point;
mod program;
mod sandbox;
mod section;
mod tool_result;

pub use aside::HookAsides;
pub use command::HookCommand;
pub use command_hook::{CommandHook, HookPlace};
pub use condition::HookCondition;
pub use entry::{HookEntry, OnFailure};
pub use event::{HookEvent, HookStage};
pub use failure::HookFailure;
pub use figures::{HookCounts, HookFigures};
pub use foreign::{ForeignHooks, MAX_FILE};
pub use heard_words::MEANINGS;
pub use matcher::{Matcher, MatcherError};
pub(crate) use moment_words::own as own_words;
pub use name::HookName;
pub use point::ContextPoint;
pub use program::{HookAdmission, HookProgram};
pub use sandbox::HookSandbox;
pub use section::HookSection;
