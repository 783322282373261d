//! What every tool is.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_proto::Block;
use scorel_runtime::ToolSpec;
use serde_json::Value;

use crate::error::{ErrorCode, ToolError};
use crate::host::ToolHost;
use crate::pace::Pace;
use crate::read_filter::ReadFilter;
use crate::root::real_path;
use crate::roots::{Location, Roots, WriteAccess};
use crate::seen::Seen;
use crate::write_target::WriteTarget;

/// One tool.
pub(crate) trait Tool: fmt::Debug + Send + Sync {
    /// What the model is told about it.
    fn spec(&self) -> ToolSpec;

    /// The path argument of a call that changes a file; nothing if no call of the tool does, or if
    /// the arguments do not fit.
    fn path_written<'a>(&self, _input: &'a Value) -> Option<&'a str> {
        None
    }

    /// Runs one call on the calling thread, which it may block.
    fn run(&self, call: &Call, input: Value) -> Result<Report, ToolError>;
}

/// What a call has besides its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The session's roots.
    pub(crate) roots: Arc<Roots>,
    /// What the model has seen of files.
    pub(crate) seen: Arc<Seen>,
    /// The daemon.
    pub(crate) host: ToolHost,
    /// The one file that a person permitted this call to change, if one was asked.
    pub(crate) permitted: Option<WriteTarget>,
    /// Which files it may show, if not all.
    pub(crate) filter: Option<Arc<dyn ReadFilter>>,
    /// When to end.
    pub(crate) pace: Pace,
}

impl Call {
    /// Whether the call is still wanted before it changes a file; a change is not interrupted.
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
    /// As [`Roots::open_file`], and [`ErrorCode::PermissionNeeded`] where rules keep the file from
    /// the model, whatever name it is reached by.
    pub(crate) fn open_shown(&self, location: &Location) -> Result<File, ToolError> {
        let file = self.roots.open_file(location)?;
        if let Some(filter) = &self.filter {
            let real = real_path(file.as_fd()).map_err(|error| failed(location, &error.into()))?;
            let metadata = file.metadata().map_err(|error| failed(location, &error))?;
            // A file without a name cannot be judged by it.
            if metadata.nlink() == 0 || !filter.may_read(&real) {
                let message = format!("{location} may not be read: permission rules keep it back");
                let error = ToolError::new(ErrorCode::PermissionNeeded, message);
                return Err(error.with("path", location.named()));
            }
        }
        Ok(file)
    }

    /// The real path of the directory below which names are judged; nothing if all may be shown.
    pub(crate) fn judged_below(
        &self,
        start: &Location,
    ) -> Result<Option<(PathBuf, &dyn ReadFilter)>, ToolError> {
        let Some(filter) = &self.filter else {
            return Ok(None);
        };
        Ok(Some((self.roots.real_path(start)?, &**filter)))
    }

    /// What this call may write.
    pub(crate) fn write_access(&self) -> WriteAccess<'_> {
        WriteAccess {
            daemon_home: self.host.home(),
            permitted: self.permitted.as_ref(),
        }
    }
}

fn failed(location: &Location, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::Internal,
        format!("{location} cannot be opened: {error}"),
    )
}

/// What a call gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    /// For the model.
    pub(crate) text: String,
    /// A picture for the model, after the text.
    pub(crate) picture: Option<Block>,
    /// For user interfaces.
    pub(crate) details: Value,
}

impl Report {
    /// A report without a picture.
    pub(crate) fn new(text: String, details: Value) -> Self {
        Self {
            text,
            picture: None,
            details,
        }
    }
}
