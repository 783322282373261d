//! The target of a write.

use std::path::{Path, PathBuf};

use super::Location;
use crate::error::{ErrorCode, ToolError};
use crate::obeyed::{self, normal};
use scorel_permission::DaemonHome;
use scorel_permission::protected::{Protection, is_protected};

/// The file that a call would create or change, links resolved. A permit is for this file: the call fails if
/// its path leads elsewhere when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteTarget {
    /// The path that the call names, for people: with its root's name, links not followed.
    pub(crate) location: String,
    /// The absolute path of the file, without links. It need not exist.
    pub(crate) path: PathBuf,
    /// The reason why the file may only be changed with a person's permission, if that is so.
    pub(crate) protection: Option<Protection>,
}

impl WriteTarget {
    pub(crate) fn new(location: &Location, path: PathBuf, daemon_home: &DaemonHome) -> Self {
        Self {
            location: location.named(),
            protection: is_protected(&path, daemon_home),
            path,
        }
    }

    /// A file that no program but the daemon obeys, and that has a guard of its own.
    pub(super) fn unprotected(location: &Location, path: PathBuf) -> Self {
        Self {
            location: location.named(),
            protection: None,
            path,
        }
    }

    /// The same for a path in a project, which another name may lead to: the one that the call gives,
    /// or any that other programs look for.
    pub(crate) fn in_project(self, project: &Path, named: &Path, home: &DaemonHome) -> Self {
        let by_name = || is_protected(&normal(named), home);
        let protection = self.protection.or_else(by_name);
        Self {
            protection: protection.or_else(|| obeyed::protection(project, &self.path)),
            ..self
        }
    }

    /// Returns whether a call that was judged for `planned` may change this file, which its path leads to now.
    pub(crate) fn check(&self, planned: &Self, protected_writes: bool) -> Result<(), ToolError> {
        if planned.path != self.path {
            return Err(self.error(
                ErrorCode::Stale,
                "leads to another file than when the call was judged",
            ));
        }
        match self.protection {
            Some(protection) if !protected_writes => Err(self.error(
                ErrorCode::PermissionNeeded,
                &format!(
                    "may only be changed with the user's permission, because {}, and this call has \
                     none; tell the user what to change there",
                    protection.reason()
                ),
            )),
            _ => Ok(()),
        }
    }

    fn error(&self, code: ErrorCode, reason: &str) -> ToolError {
        ToolError::new(code, format!("{} {reason}", self.location))
            .with("path", self.location.as_str())
            .with("target", self.path.to_string_lossy())
    }
}
