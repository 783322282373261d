//! Extensions with a program of their own.
//!
//! `extension.toml` says all that is seen of one ([`Manifest`]); nothing runs to know it. Its program is started
//! on first need ([`ExtensionProgram`]) and speaks JSON-RPC over its pipes: it gets `initialize`, `tool.call`,
//! `hook.run`, `command.run`, `event`, `$/cancelRequest` and `shutdown`, and calls what its [`ExtensionPort`] has.

mod command_reply;
mod extension_hook;
mod extension_program;
mod extension_tool;
mod hook_reply;
mod manifest;
mod manifest_parts;
mod manifest_table;
mod port;
mod program_tools;
mod tool_progress;
mod tool_reply;

pub use command_reply::CommandReply;
pub use extension_hook::ExtensionHook;
pub use extension_program::ExtensionProgram;
pub use extension_tool::ToolScene;
pub use manifest::{MANIFEST, Manifest};
pub use manifest_parts::{ManifestCommand, ManifestHook, ManifestTool};
pub use port::ExtensionPort;
pub use program_tools::ProgramTools;
