//! Places below a root.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{ErrorCode, ToolError};
use crate::root::RootName;
use crate::shown_path::shown_path;

/// A path below a root. It need not exist, and is resolved when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub(crate) root: RootName,
    /// Relative, without empty and `.` components; empty for the root itself.
    pub(crate) path: PathBuf,
}

impl Location {
    pub(super) fn new(root: RootName, path: &str) -> Self {
        let components = path.split('/').filter(|name| !matches!(*name, "" | "."));
        Self {
            root,
            path: components.collect(),
        }
    }

    /// The location of an absolute path outside the roots.
    pub(crate) fn outside(path: &Path) -> Self {
        Self {
            root: RootName::System,
            path: path.strip_prefix("/").unwrap_or(path).to_owned(),
        }
    }

    /// The place at `path` below this one, made in one allocation. `path` is without `.` and `..`.
    pub(crate) fn join(&self, path: &Path) -> Self {
        let length = self.path.as_os_str().len() + 1 + path.as_os_str().len();
        let mut joined = PathBuf::with_capacity(length);
        joined.push(&self.path);
        if !path.as_os_str().is_empty() {
            joined.push(path);
        }
        Self {
            root: self.root,
            path: joined,
        }
    }

    /// An error whose message begins with this location.
    pub(crate) fn refused(&self, code: ErrorCode, reason: impl fmt::Display) -> ToolError {
        self.error(code, format!("{self} {reason}"))
    }

    /// An error about this location, which user interfaces get as its `path`.
    pub(crate) fn error(&self, code: ErrorCode, message: impl Into<String>) -> ToolError {
        ToolError::new(code, message).with("path", self.named())
    }

    /// For a sentence to the model.
    pub(crate) fn place(&self) -> String {
        match self.to_string() {
            text if text == "." => "the project".to_owned(),
            text => text,
        }
    }

    /// The path below the root, for display.
    pub(crate) fn relative(&self) -> String {
        shown_path(&self.path)
    }

    /// With the root's name, for user interfaces.
    pub fn named(&self) -> String {
        if self.root == RootName::System {
            format!("/{}", shown_path(&self.path))
        } else if self.path.as_os_str().is_empty() {
            self.root.to_string()
        } else {
            format!("{}/{}", self.root, shown_path(&self.path))
        }
    }
}

/// As the model writes it: relative in the project, with the root's name in other roots, absolute
/// elsewhere.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.path.iter().next();
        let ambiguous = first
            .and_then(|name| name.to_str())
            .is_some_and(|name| RootName::parse(name).is_some());
        if self.root != RootName::Project || ambiguous {
            f.write_str(&self.named())
        } else if first.is_none() {
            f.write_str(".")
        } else {
            f.write_str(&shown_path(&self.path))
        }
    }
}
