//! A running call of a file tool.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_runtime::{Permit, ReadFilter};

use crate::error::{ErrorCode, ToolError};
use crate::pace::Pace;
use crate::roots::{Location, WriteAccess};
use crate::session_files::SessionFiles;
use crate::write_target::WriteTarget;

/// A running call: the session's files, what the gate granted, and when to end.
#[derive(Debug, Clone)]
pub(crate) struct RunningCall {
    pub(crate) files: Arc<SessionFiles>,
    pub(crate) permit: Permit,
    pub(crate) pace: Pace,
}

impl RunningCall {
    /// Fails if the call was cancelled or out of time before it changed a file. The change itself is
    /// never interrupted.
    pub(crate) fn check_wanted(&self, location: &Location) -> Result<(), ToolError> {
        self.pace.check().map_err(|interruption| {
            let reason = interruption.reason();
            let message = format!("{reason} before {location} was changed");
            ToolError::new(ErrorCode::Cancelled, message).with("path", location.named())
        })
    }

    /// Opens a file whose content the call may show.
    ///
    /// # Errors
    /// As [`SessionFiles::open`].
    pub(crate) fn open_shown(&self, location: &Location) -> Result<File, ToolError> {
        self.files.open_shown(location, &self.permit)
    }

    /// The read filter, with the real path of the directory below which it is asked about names;
    /// nothing if all files may be shown.
    pub(crate) fn filter_below(
        &self,
        start: &Location,
    ) -> Result<Option<(PathBuf, &dyn ReadFilter)>, ToolError> {
        let Some(filter) = &self.permit.reads else {
            return Ok(None);
        };
        Ok(Some((self.files.roots.real_path(start)?, &**filter)))
    }

    /// Lets the call write `planned`, and nothing else.
    pub(crate) fn write_access<'a>(&'a self, planned: &'a WriteTarget) -> WriteAccess<'a> {
        WriteAccess {
            daemon_home: self.files.host.home(),
            planned,
            protected_writes: self.permit.protected_writes,
            umask: self.files.host.umask(),
        }
    }
}
