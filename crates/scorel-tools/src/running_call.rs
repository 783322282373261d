//! A running call of a file tool.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_engine::Permit;

use crate::error::{ErrorCode, ToolError};
use crate::pace::Pace;
use crate::roots::WriteTarget;
use crate::roots::{Location, Roots, WriteAccess};
use crate::session_files::SessionFiles;
use crate::shown_files::ShownFiles;

/// A running call: the session's files, what the gate granted, and when to end.
#[derive(Debug, Clone)]
pub struct RunningCall {
    pub(crate) files: Arc<SessionFiles>,
    /// The session's roots and what the permit grants besides.
    pub(crate) roots: Roots,
    pub(crate) permit: Permit,
    pub(crate) pace: Pace,
}

impl RunningCall {
    pub(crate) fn new(files: Arc<SessionFiles>, permit: Permit, pace: Pace) -> Self {
        Self {
            roots: files.roots.granting(&permit),
            files,
            permit,
            pace,
        }
    }

    /// Fails if the call was cancelled or out of time before it changed a file. The change itself is
    /// never interrupted.
    pub(crate) fn check_wanted(&self, location: &Location) -> Result<(), ToolError> {
        self.pace.check().map_err(|interruption| {
            let reason = interruption.reason();
            let message = format!("{reason} before {location} was changed");
            location.error(ErrorCode::Cancelled, message)
        })
    }

    /// Opens a file whose content the call may show.
    ///
    /// # Errors
    /// As [`SessionFiles::open`].
    pub(crate) fn open_shown(&self, location: &Location) -> Result<File, ToolError> {
        self.files.open_shown(&self.roots, location, &self.permit)
    }

    /// The files that may be shown below a directory, with its real path as the base of the paths to ask
    /// about; `None` if all files may be shown.
    pub(crate) fn shown_below(
        &self,
        start: &Location,
    ) -> Result<Option<(PathBuf, ShownFiles<'_>)>, ToolError> {
        let shown = self.files.shown(start, &self.permit);
        if !shown.is_limited() {
            return Ok(None);
        }
        Ok(Some((self.roots.real_path(start)?, shown)))
    }

    /// Lets the call write `planned`, and nothing else.
    pub(crate) fn write_access<'a>(&'a self, planned: &'a WriteTarget) -> WriteAccess<'a> {
        WriteAccess {
            daemon_home: &self.files.host.home,
            planned,
            protected_writes: self.permit.protected_writes,
            umask: &self.files.host.umask,
        }
    }
}
