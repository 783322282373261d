use std::io;
use std::path::PathBuf;

use super::ConfigError;

/// Why the user's configuration file was not changed. Nothing was written, unless only the sync of its
/// directory failed.
#[derive(Debug, thiserror::Error)]
pub enum EditConfigError {
    /// The file as it is cannot be used, or not be changed in this place.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// The file would not be valid any more.
    #[error("{reason}")]
    Refused {
        /// The parameter at fault.
        field: Option<&'static str>,
        reason: String,
        /// The nearest valid name.
        suggestion: Option<String>,
    },
    #[error("{path} was changed by another program at the same time; try again")]
    Changed { path: PathBuf },
    #[error("another program is still changing {path}; try again when it has finished")]
    Locked { path: PathBuf },
    #[error("{path} is a symbolic link that leads nowhere")]
    BrokenLink { path: PathBuf },
    #[error("cannot write {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A defect: the text would say more or less than was asked for.
    #[error("{path} cannot be changed safely; edit [{table}] by hand")]
    Unsafe { path: PathBuf, table: String },
}

impl EditConfigError {
    pub const fn refused(
        field: Option<&'static str>,
        reason: String,
        suggestion: Option<String>,
    ) -> Self {
        Self::Refused {
            field,
            reason,
            suggestion,
        }
    }
}
