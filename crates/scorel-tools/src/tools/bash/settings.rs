//! What commands of a session get from the daemon.

use std::path::PathBuf;

use scorel_exec::Environment;

/// What commands of a session get from the daemon.
#[derive(Debug, Clone)]
pub struct CommandSettings {
    /// The environment variables of a command.
    pub environment: Environment,
    /// Directories a command may write besides the project and its temporary directory.
    pub caches: Vec<PathBuf>,
    /// Directories a command cannot read, besides the daemon's home.
    pub hidden: Vec<PathBuf>,
    /// Whether mounts can keep commands from changing protected files. Otherwise such files are
    /// compared and put back when a command has ended.
    pub mounts: bool,
}
