//! Plans of calls that know mounts only: `@project`, `@pkg` and `@state`, and no path beyond them.

use scorel_engine::Effect;

use crate::error::{ErrorCode, ToolError};
use crate::root::RootName;
use crate::roots::Location;
use crate::run_mounts::RunMounts;
use crate::session_files::{PlannedWrite, SessionFiles};

impl SessionFiles {
    /// The directories of the run that the session is bound to.
    pub fn run_mounts(&self) -> &RunMounts {
        self.roots.run_mounts()
    }

    /// The effect of showing the model the content at `path`, and the location that is to be opened.
    ///
    /// # Errors
    /// The path leads out of the mounts.
    pub fn plan_mounted_read(&self, path: &str) -> Result<(Effect, Location), ToolError> {
        let (effect, location) = self.plan_read(path)?;
        check_mounted(path, &location)?;
        Ok((effect, location))
    }

    /// Returns whether there is a file at `path` below a mount, and it is not empty.
    pub fn has_content(&self, path: &str) -> bool {
        let location = self.roots.locate(path);
        let file = location.and_then(|location| self.roots.open_file(&location));
        file.is_ok_and(|file| file.metadata().is_ok_and(|it| it.len() > 0))
    }

    /// The effects of writing the file at `path`, and the write. What is written below `@state` is judged by the
    /// run's guard, and has no effect for permissions.
    ///
    /// # Errors
    /// The path leads out of the mounts, or to one that is read-only.
    pub fn plan_mounted_write(&self, path: &str) -> Result<(Vec<Effect>, PlannedWrite), ToolError> {
        let location = self.roots.locate_file(path)?;
        check_mounted(path, &location)?;
        let is_state = location.root == RootName::State;
        if is_state && self.run_mounts().guard().is_none() {
            let reason = "is in @state, which cannot be changed in this mode";
            return Err(location.refused(ErrorCode::AccessDenied, reason));
        }
        let target = self.roots.write_target(&location, &self.host.home)?;
        let write = PlannedWrite::new(location, target);
        let effects = match is_state {
            true => Vec::new(),
            false => vec![write.effect()],
        };
        Ok((effects, write))
    }
}

fn check_mounted(path: &str, location: &Location) -> Result<(), ToolError> {
    if location.root != RootName::System {
        return Ok(());
    }
    let message = format!("{path} is beyond @project, @pkg and @state");
    Err(ToolError::new(ErrorCode::SandboxViolation, message).with("path", path))
}
