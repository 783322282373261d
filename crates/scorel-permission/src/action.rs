//! What a tool is about to do.

use std::path::PathBuf;

/// What a tool is about to do, before it does it.
///
/// Paths are absolute, or relative to the project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// Read a file or list a directory.
    Read {
        /// What is read.
        path: PathBuf,
    },
    /// Create, change or remove a file.
    Write {
        /// What is written.
        path: PathBuf,
    },
    /// Run a command in a shell.
    Run {
        /// The text that the shell gets.
        command: String,
        /// The directory that it starts in.
        directory: PathBuf,
    },
    /// Fetch a page.
    Fetch {
        /// Its address.
        url: String,
    },
    /// Call a tool that runs outside the daemon, such as one of an MCP server.
    CallTool {
        /// The tool's name.
        tool: String,
    },
}
