//! Hooks and extensions in turns: adapters between `scorel-extension`, the configuration and the engine.

mod command_hooks;
mod hook_item;
mod hook_registry;
mod listening_hooks;
mod project_hooks;
mod rule_condition;
mod transcripts;
mod trusted_files;

pub(crate) use command_hooks::CommandHooks;
pub(crate) use hook_item::hook_item;
pub(crate) use hook_registry::{HookLayer, HookRegistry};
pub(crate) use listening_hooks::ListeningHooks;
pub(crate) use project_hooks::ProjectHooks;
pub(crate) use transcripts::Transcripts;
pub(crate) use trusted_files::TrustedFiles;
