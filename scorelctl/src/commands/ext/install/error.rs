use std::io;
use std::path::{Path, PathBuf};

use scorel_extension::ExtensionId;
use scorel_plugin::FileProblem;

/// The reason why an extension was not added or removed.
#[derive(Debug, thiserror::Error)]
pub(in crate::commands::ext) enum InstallError {
    #[error("another program is changing the extensions; try again in a moment")]
    Busy,
    #[error("there is an extension `{0}` already")]
    Exists(ExtensionId),
    #[error("there is no extension `{0}`")]
    Unknown(ExtensionId),
    /// The mistake.
    #[error("it is not an extension: {}", first(.0))]
    NoExtension(Vec<FileProblem>),
    /// A name or kind of file that is not written.
    #[error("`{name}` {reason}")]
    Refused { name: String, reason: &'static str },
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
}

/// The one that matters most: what ended the reading.
fn first(problems: &[FileProblem]) -> String {
    problems
        .last()
        .map_or_else(String::new, ToString::to_string)
}
