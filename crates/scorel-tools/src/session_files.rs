//! The files of one session.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use scorel_runtime::{Effect, Permit};

use crate::error::{ErrorCode, ToolError};
use crate::host::ToolHost;
use crate::pace::TIME_LIMIT;
use crate::root::real_path;
use crate::roots::{Location, Roots};
use crate::seen_files::SeenFiles;
use crate::write_target::WriteTarget;

/// The roots of one session and what its model has seen of the files below them.
///
/// Lives as long as the session is loaded: a file may be changed only where the model has seen it.
#[derive(Debug)]
pub struct SessionFiles {
    pub(crate) roots: Roots,
    pub(crate) seen: SeenFiles,
    pub(crate) host: ToolHost,
    /// How long one call may take.
    pub(crate) time_limit: Duration,
}

/// A write that was planned: where its path led when it was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedWrite {
    pub(crate) location: Location,
    pub(crate) target: WriteTarget,
}

impl SessionFiles {
    pub(crate) fn new(roots: Roots, host: ToolHost) -> Self {
        Self {
            roots,
            seen: SeenFiles::default(),
            host,
            time_limit: TIME_LIMIT,
        }
    }

    /// The effect of showing the model what is at `path`, an argument of a call. Looks at the file
    /// system to follow links, since rules are about what is read and not about its names.
    ///
    /// Declared for paths outside the roots as well: rules may say more about such a path than the
    /// error that the run will end with.
    #[must_use]
    pub fn reading(&self, path: &str) -> Effect {
        let path = match self.roots.locate(path) {
            Ok(location) => self.roots.unresolved_path(&location),
            Err(_) => self.roots.project_path().join(path),
        };
        Effect::ReadPath {
            path: path.canonicalize().unwrap_or(path),
        }
    }

    /// The effect of writing the file at `path`, an argument of a call, and the write itself. Looks at
    /// the file system and changes nothing.
    pub(crate) fn writing(&self, path: &str) -> (Effect, Result<PlannedWrite, ToolError>) {
        let planned = self.plan_write(path);
        let effect = match &planned {
            Ok(PlannedWrite { target, .. }) => Effect::WritePath {
                path: target.path().to_owned(),
                named: target.location().to_owned(),
                protection: target.protection().map(|it| it.reason().to_owned()),
            },
            Err(error) => Effect::Unresolved {
                reason: error.to_string(),
            },
        };
        (effect, planned)
    }

    /// Opens a file to show the model what is in it.
    ///
    /// # Errors
    /// The path leads outside the roots, the file cannot be read, or the permit's filter withholds it.
    pub fn open(&self, path: &str, permit: &Permit) -> Result<File, ToolError> {
        self.open_shown(&self.roots.locate(path)?, permit)
    }

    /// The real path of the project's directory.
    #[must_use]
    pub fn project(&self) -> &Path {
        self.roots.project_path()
    }

    pub(crate) fn open_shown(
        &self,
        location: &Location,
        permit: &Permit,
    ) -> Result<File, ToolError> {
        let file = self.roots.open_file(location)?;
        if let Some(filter) = &permit.reads {
            // The open file is judged, not its path, which may lead elsewhere by now.
            let real = real_path(file.as_fd()).map_err(|error| failed(location, &error.into()))?;
            let metadata = file.metadata().map_err(|error| failed(location, &error))?;
            // A deleted file has no path that rules could be about.
            if metadata.nlink() == 0 || !filter.may_read(&real) {
                let message = format!("{location} may not be read: permission rules keep it back");
                let error = ToolError::new(ErrorCode::PermissionNeeded, message);
                return Err(error.with("path", location.named()));
            }
        }
        Ok(file)
    }

    fn plan_write(&self, path: &str) -> Result<PlannedWrite, ToolError> {
        let location = self.roots.locate_file(path)?;
        let target = self.roots.write_target(&location, self.host.home())?;
        Ok(PlannedWrite { location, target })
    }
}

fn failed(location: &Location, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::Internal,
        format!("{location} cannot be opened: {error}"),
    )
}
