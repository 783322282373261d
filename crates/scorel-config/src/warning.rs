use std::fmt;
use std::path::{Path, PathBuf};

/// A setting of a project's file that was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub path: PathBuf,
    /// With its section.
    pub key: String,
    pub reason: &'static str,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: `{}` ignored: {}",
            self.path.display(),
            self.key,
            self.reason
        )
    }
}

pub(crate) fn warning(path: &Path, key: String, reason: &'static str) -> Warning {
    Warning {
        path: path.to_owned(),
        key,
        reason,
    }
}
