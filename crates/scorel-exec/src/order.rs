//! Commands to run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::command_line::CommandLine;
use crate::environment::Environment;
use crate::limits::ResourceLimits;
use crate::run_group::RunGroup;
use crate::sandbox::Sandbox;
use crate::shared_space::SharedSpace;
use crate::umask::Umask;

/// A command to run.
#[derive(Debug, Clone)]
pub struct CommandOrder {
    pub command: CommandLine,
    pub environment: Environment,
    /// `None` runs the command with all rights of the user.
    pub sandbox: Option<Sandbox>,
    /// The space that a sandboxed command joins, instead of its [`Sandbox::surroundings`]. It lasts at
    /// least as long as the command.
    pub space: Option<Arc<SharedSpace>>,
    /// `None` limits nothing but what the daemon itself is limited to.
    pub resources: Option<CommandResources>,
    /// `None` for no limit.
    pub timeout: Option<Duration>,
    /// The umask of the command; `None` keeps this process's.
    pub umask: Option<Umask>,
    /// Where output beyond the memory limit is spooled, in a file without a name; `None` drops its
    /// middle. Output that goes to pipes is not kept.
    pub spool_dir: Option<PathBuf>,
}

/// The limits of a command, and what they are measured on.
#[derive(Debug, Clone)]
pub struct CommandResources {
    pub limits: ResourceLimits,
    /// Directories for temporary files.
    pub scratch: Vec<PathBuf>,
    /// The commands that share the limits of memory and processes; `None` for a command that has
    /// them for itself.
    pub group: Option<Arc<RunGroup>>,
}
