use std::path::PathBuf;

use scorel_home::SecretError;
use scorel_provider::SetupError;

/// The reason why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(
        "{provider} needs a key: {} is neither in the daemon's environment nor in {}",
        variables.join(" or "),
        file.display()
    )]
    NoKey {
        provider: String,
        variables: Vec<String>,
        file: PathBuf,
    },
    /// A `baseUrl` is set: the provider's usual key must not go to another address.
    #[error(
        "{provider} needs a key; with `model.baseUrl` set, name its variable with `model.apiKeyEnv`"
    )]
    UnnamedKey { provider: String },
}

impl ModelError {
    pub fn provider(&self) -> Option<&str> {
        match self {
            Self::NoKey { provider, .. }
            | Self::UnnamedKey { provider }
            | Self::Setup(
                SetupError::UnknownProvider { name: provider, .. }
                | SetupError::MissingModel { provider }
                | SetupError::MissingKey { provider, .. }
                | SetupError::Retired { provider, .. },
            ) => Some(provider),
            Self::Setup(SetupError::NotTheDemo { .. }) => Some("demo"),
            Self::Secret(_) | Self::Setup(_) => None,
        }
    }
}
