use std::path::PathBuf;

use scorel_provider::SetupError;

use crate::secret::SecretError;

/// Why a configured model cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    /// Its key cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// It makes no sense, or its key is missing.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Its key is nowhere.
    #[error(
        "{provider} needs a key: {} is neither in the daemon's environment nor in {}",
        variables.join(" or "),
        file.display()
    )]
    NoKey {
        /// The provider's name.
        provider: String,
        /// The variables that were looked for.
        variables: Vec<String>,
        /// The file that was looked into.
        file: PathBuf,
    },
    /// It has an address of its own, for which nobody named a key.
    #[error(
        "{provider} needs a key; with `model.baseUrl` set, name its variable with `model.apiKeyEnv`"
    )]
    UnnamedKey {
        /// The provider's name.
        provider: String,
    },
}

impl ModelError {
    /// The provider that it is about, where there is one.
    pub(crate) fn provider(&self) -> Option<&str> {
        match self {
            Self::NoKey { provider, .. }
            | Self::UnnamedKey { provider }
            | Self::Setup(
                SetupError::UnknownProvider { name: provider, .. }
                | SetupError::MissingModel { provider }
                | SetupError::MissingKey { provider, .. },
            ) => Some(provider),
            Self::Setup(SetupError::NotTheDemo { .. }) => Some("demo"),
            Self::Secret(_) | Self::Setup(_) => None,
        }
    }
}
