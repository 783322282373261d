//! A command that was planned and not yet started.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use scorel_engine::Effect;

use crate::error::{ErrorCode, ToolError};
use crate::root::{RootName, real_path};
use crate::session_files::SessionFiles;

use super::standby_slot::StandbySlot;

/// A command that was planned and not yet started.
#[derive(Debug)]
pub struct PlannedCommand {
    pub(super) command: String,
    /// Open since the plan: the command runs in the directory that was judged, even if another one is at
    /// its path by then.
    pub(super) directory: OwnedFd,
    pub(super) path: PathBuf,
    /// `None` for no limit.
    pub(super) timeout: Option<Duration>,
    pub(super) wish: CommandWish,
    /// For a supervisor that is started while people are asked about the command.
    pub(super) standby: StandbySlot,
}

/// The needs of a command besides those of every command.
#[derive(Debug)]
pub(super) enum CommandWish {
    /// To run in the sandbox, with or without the network.
    Sandboxed { network: bool },
    /// To run without the sandbox, for this reason of the model's, which people are shown. Whether it does is
    /// up to the permit.
    Unsandboxed { reason: String },
}

impl PlannedCommand {
    /// Plans a command in the directory `cwd`, an argument of a call; in the project's directory
    /// without one. Looks at the file system.
    ///
    /// # Errors
    /// The directory is outside the project or cannot be opened.
    pub fn new(
        files: &SessionFiles,
        command: &str,
        cwd: Option<&str>,
        timeout: Option<Duration>,
    ) -> Result<Self, ToolError> {
        let location = files
            .roots
            .locate(cwd.unwrap_or(RootName::Project.as_str()))?;
        if location.root == RootName::System {
            let message = format!("`cwd` is outside the project: {location}");
            let error = ToolError::new(ErrorCode::SandboxViolation, message);
            return Err(error.with("field", "cwd"));
        }
        if location.root != RootName::Project {
            return Err(ToolError::invalid("`cwd` must be below the project").with("field", "cwd"));
        }
        let directory = files.roots.open_directory(&location)?;
        let path =
            real_path(directory.as_fd()).unwrap_or_else(|_| files.roots.unresolved_path(&location));
        Ok(Self {
            command: command.to_owned(),
            directory,
            path,
            timeout,
            wish: CommandWish::Sandboxed { network: false },
            standby: StandbySlot::default(),
        })
    }

    /// The effect of running it, as the gate judges it.
    pub fn effect(&self) -> Effect {
        let (command, directory) = (self.command.clone(), self.path.clone());
        match &self.wish {
            CommandWish::Sandboxed { network } => Effect::RunCommand {
                command,
                directory,
                network: *network,
            },
            CommandWish::Unsandboxed { reason } => Effect::RunUnsandboxed {
                command,
                directory,
                reason: reason.clone(),
            },
        }
    }
}
