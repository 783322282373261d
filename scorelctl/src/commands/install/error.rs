use std::io;
use std::path::{Path, PathBuf};

use scorel_screen::escape::one_line;

use super::words::InstallWords;
use crate::failure::Failure;

/// The reason why a directory was not added or removed.
#[derive(Debug, thiserror::Error)]
pub(in crate::commands) enum InstallError {
    #[error("another program is changing the {}; try again in a moment", .0.plural)]
    Busy(&'static InstallWords),
    #[error("there is {} `{id}` already", .words.one)]
    Exists {
        words: &'static InstallWords,
        id: String,
    },
    #[error("there is no {} `{id}`", .words.noun)]
    Unknown {
        words: &'static InstallWords,
        id: String,
    },
    /// The mistake.
    #[error("it is not {}: {reason}", .words.one)]
    Unusable {
        words: &'static InstallWords,
        reason: String,
    },
    /// A name or kind of file that is not written.
    #[error("`{name}` {reason}")]
    Refused { name: String, reason: String },
    #[error("it has more than {limit} {what}")]
    TooMuch { what: &'static str, limit: u64 },
    #[error("{path} is not a zip archive that can be read: {reason}", path = .path.display())]
    Archive { path: PathBuf, reason: String },
    #[error("{path}: {source}", path = .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl InstallError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(in crate::commands) fn refused(name: &str, reason: impl Into<String>) -> Self {
        Self::Refused {
            name: name.to_owned(),
            reason: reason.into(),
        }
    }

    pub(super) const fn too_much(what: &'static str, limit: u64) -> Self {
        Self::TooMuch { what, limit }
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let message = one_line(&error.to_string());
        let (code, hint) = match &error {
            InstallError::Busy(_) => ("overloaded", None),
            InstallError::Exists { words, .. } => (
                words.exists,
                Some("`--replace` puts it in its place, `--id ID` beside it"),
            ),
            InstallError::Unknown { words, .. } => ("unknown_name", Some(words.list_hint)),
            InstallError::Unusable { words, .. } => (words.unusable, Some(words.check_hint)),
            InstallError::Refused { .. }
            | InstallError::TooMuch { .. }
            | InstallError::Archive { .. } => ("source_refused", None),
            InstallError::Io { .. } => ("filesystem_error", None),
        };
        Self::refused(code, message).maybe_hint(hint)
    }
}
