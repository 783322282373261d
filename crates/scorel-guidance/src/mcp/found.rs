use std::path::PathBuf;
use std::sync::Arc;

use scorel_config::{McpServer, McpTransport};
use scorel_plugin::PluginPlace;

use crate::trust::Inert;

/// The beginning of the names of items, and of processes.
const KIND: &str = "mcp:";

/// A server that was found.
#[derive(Debug, Clone)]
pub struct FoundMcpServer {
    /// The name, as the file has it.
    pub name: String,
    /// Its command or address, for people; empty if the entry cannot be understood.
    pub line: String,
    /// The way to it; `None` if the entry cannot be understood.
    pub transport: Option<McpTransport>,
    /// The file that declares it.
    pub file: PathBuf,
    /// True if the project declares it.
    pub is_project: bool,
    pub state: McpServerState,
    /// The files of the project that its command names, without links.
    pub files: Vec<PathBuf>,
    /// The places of the plugin that brings it; `None` for others.
    pub place: Option<PluginPlace>,
}

/// Says whether a server may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpServerState {
    Usable(Arc<McpServer>),
    Inert(Inert),
    /// The user's configuration turns it off.
    Disabled,
    /// It is the project's, and the user has one of this name, or another file of the project that comes first.
    Shadowed,
    /// The reason why this version runs none such.
    NotRun(String),
}

impl FoundMcpServer {
    /// The settings, if it may be used.
    pub const fn usable(&self) -> Option<&Arc<McpServer>> {
        match &self.state {
            McpServerState::Usable(server) => Some(server),
            _ => None,
        }
    }

    /// The name of its process, and of its item if it is a project's.
    pub fn process(&self) -> String {
        Self::process_of(&self.name)
    }

    /// The name of the process, and of the item, of the server with this name.
    pub fn process_of(name: &str) -> String {
        format!("{KIND}{name}")
    }
}
