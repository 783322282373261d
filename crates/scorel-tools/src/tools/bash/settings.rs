//! What commands of a session get from the daemon.

use std::path::PathBuf;

use scorel_exec::{Environment, ResourceLimits};

/// What commands of a session get from the daemon.
#[derive(Debug, Clone)]
pub struct CommandSettings {
    /// The environment variables of a command.
    pub environment: Environment,
    /// Directories a command may write besides the project and its temporary directory.
    pub caches: Vec<PathBuf>,
    /// Directories a command cannot read, besides the daemon's home.
    pub hidden: Vec<PathBuf>,
    /// Whether commands get mounts of their own. Otherwise protected files at the top of the project
    /// are compared and put back when a command has ended, like those that mounts cannot cover.
    pub mounts: bool,
    /// What a command may use, and all commands of the session in the background together.
    pub limits: ResourceLimits,
}
