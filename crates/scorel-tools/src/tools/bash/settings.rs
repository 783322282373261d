//! Settings of a session's commands.

use std::path::PathBuf;

use scorel_exec::{Environment, ResourceLimits, Umask};

use super::package_caches::PackageCaches;

/// The daemon's settings for a session's commands.
#[derive(Debug, Clone)]
pub struct CommandSettings {
    /// The environment variables of a command.
    pub environment: Environment,
    /// The umask of a command; `None` keeps the daemon's.
    pub umask: Option<Umask>,
    /// Directories a command may write besides the project and its temporary directory.
    pub caches: Vec<PathBuf>,
    /// Directories a command cannot read, besides the daemon's home.
    pub hidden: Vec<PathBuf>,
    /// Directories and files below those that it can read.
    pub shown: Vec<PathBuf>,
    /// True if commands get mounts of their own. Otherwise protected files at the top of the project
    /// are compared and put back when a command has ended, like those that mounts cannot cover.
    pub mounts: bool,
    /// True if commands get a loopback network and a `/dev/shm` of their session's own.
    pub spaces: bool,
    /// Caches of package managers, which are mostly read-only.
    pub packages: PackageCaches,
    /// Directories in which commands of other sessions can make links.
    pub changeable: Vec<PathBuf>,
    /// The resources that a command may use, and those for all commands of the session in the background together.
    pub limits: ResourceLimits,
}
