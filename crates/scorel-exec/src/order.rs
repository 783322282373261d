//! Commands to run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::environment::Environment;
use crate::limits::ResourceLimits;
use crate::run_group::RunGroup;
use crate::sandbox::Sandbox;

/// A command to run.
#[derive(Debug, Clone)]
pub struct CommandOrder {
    /// The script, as for `bash -c`.
    pub command: String,
    pub environment: Environment,
    /// `None` runs the command with all rights of the user.
    pub sandbox: Option<Sandbox>,
    /// `None` limits nothing but what the daemon itself is limited to.
    pub resources: Option<CommandResources>,
    /// `None` is no limit.
    pub timeout: Option<Duration>,
    /// Where output beyond the memory limit is spooled, in a file without a name; `None` drops its
    /// middle.
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
