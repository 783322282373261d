//! Actions, which a policy judges.

use std::path::PathBuf;

/// Something a tool call would do. Paths are absolute, or relative to the project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// Read a file or list a directory.
    Read { path: PathBuf },
    /// Create, change or remove a file.
    Write { path: PathBuf },
    /// Run a command in a shell.
    Run {
        /// The script that the shell gets.
        command: String,
        /// The directory that it starts in.
        directory: PathBuf,
    },
    /// Run a command in a shell without the sandbox, because the call asks for that.
    RunUnsandboxed {
        /// The script that the shell gets.
        command: String,
        /// The directory that it starts in.
        directory: PathBuf,
    },
    /// Fetch a page from a host that is public, or that the user said is like one.
    Fetch {
        /// The URL, unparsed.
        url: String,
    },
    /// Fetch a page from a host in a private network, or of this machine.
    FetchPrivate {
        /// The URL, unparsed.
        url: String,
    },
    /// Call a tool that runs outside the daemon, such as one of an MCP server.
    CallTool { tool: String },
    /// Give an agent a task.
    SpawnAgent {
        /// The agent's name in the configuration.
        agent_type: String,
    },
}
