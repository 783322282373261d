use std::path::PathBuf;
use std::{io, process};

use scorel_config::{ConfigError, EditConfigError, InvalidConfigKey};
use scorel_home::HomeError;
use scorel_proto::ErrorChain;

use super::exit::ConfigExit;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Key(#[from] InvalidConfigKey),
    #[error("there is no key `{key}`{}", suggested(suggestion.as_deref()))]
    NoSuchKey {
        key: String,
        suggestion: Option<String>,
    },
    /// The file cannot be used as it is.
    #[error(transparent)]
    Invalid(#[from] ConfigError),
    #[error(transparent)]
    Edit(#[from] EditConfigError),
    #[error("cannot run the editor `{editor}`")]
    Editor {
        editor: String,
        #[source]
        source: io::Error,
    },
    #[error("the editor `{editor}` ended with {status}; nothing was changed")]
    EditorFailed {
        editor: String,
        status: process::ExitStatus,
    },
    #[error("the edited text is invalid; it is kept in {path}, and nothing was changed")]
    EditedInvalid { path: PathBuf },
    #[error("{error}; the edited text is kept in {path}")]
    EditedUnused {
        path: PathBuf,
        error: Box<EditConfigError>,
    },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CommandError {
    pub(super) const fn exit(&self) -> ConfigExit {
        match self {
            Self::Key(_) | Self::NoSuchKey { .. } => ConfigExit::Usage,
            _ => ConfigExit::Refused,
        }
    }

    /// Whether the reader of the output closed it, as `head` does. That is no failure.
    pub(super) fn is_closed_output(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The error with its causes, for people.
    pub(super) fn message(&self) -> String {
        let text = ErrorChain(self).to_string();
        match self {
            Self::Edit(EditConfigError::Refused { suggestion, .. }) => {
                format!("{text}{}", suggested(suggestion.as_deref()))
            }
            _ => text,
        }
    }

    /// A stable name for programs.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Key(_) | Self::NoSuchKey { .. } => "no_such_key",
            Self::Invalid(_) | Self::EditedInvalid { .. } => "config_invalid",
            Self::Edit(EditConfigError::Refused { .. } | EditConfigError::File(_)) => {
                "config_refused"
            }
            Self::Edit(EditConfigError::Changed { .. } | EditConfigError::Locked { .. })
            | Self::EditedUnused { .. } => "conflict",
            _ => "io",
        }
    }
}

/// The end of a message that suggests this name; empty without one.
fn suggested(name: Option<&str>) -> String {
    name.map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}
