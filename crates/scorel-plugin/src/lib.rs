//! Plugins of other agents, read as they are.
//!
//! In: a directory. Out: a [`Plugin`] with all that it brings: skills, commands, hooks and servers, which run here, and
//! what does not run, by name. Nothing is started to know it, and no link inside is followed.

mod command;
mod files;
mod format;
mod manifest;
mod not_run;
mod parts;
mod reader;
mod variables;

use std::path::PathBuf;

use scorel_extension::ExtensionId;
use scorel_extension::hook::HookEntry;
use serde_json::Value;

pub use command::PluginCommand;
pub use files::FileProblem;
pub use format::PluginFormat;
pub use not_run::{NotRun, NotRunKind};
pub use reader::{PluginReading, is_plugin};
pub use variables::PluginPlace;

/// A plugin, with all that it brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    pub id: ExtensionId,
    /// The name in its manifest.
    pub name: String,
    pub format: PluginFormat,
    pub version: Option<String>,
    /// One line; empty if it says nothing.
    pub description: String,
    /// The directory that it was read from.
    pub root: PathBuf,
    /// Directories with a `SKILL.md`.
    pub skills: Vec<PathBuf>,
    pub commands: Vec<PluginCommand>,
    pub hooks: Vec<HookEntry>,
    /// MCP servers by their names in the plugin, as it writes them: with its variables.
    pub servers: Vec<(String, Value)>,
    pub not_run: Vec<NotRun>,
}

#[cfg(test)]
mod tests;
