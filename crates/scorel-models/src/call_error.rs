use scorel_engine::ProviderError;
use scorel_provider::ListError;
use tokio::task::JoinError;

use super::ModelError;

/// The reason why a call about models failed.
#[derive(Debug, thiserror::Error)]
pub enum ModelCallError {
    /// The model that the caller named cannot be used: the caller's mistake where no such model or
    /// provider exists, otherwise the provider's.
    #[error(transparent)]
    Named(ModelError),
    #[error("there is no provider `{name}`; known are {}", known.join(", "))]
    UnknownProvider { name: String, known: Vec<String> },
    /// A provider cannot be asked, as it is configured.
    #[error("{error}")]
    Provider { provider: String, error: ModelError },
    /// A provider's endpoint could not list its models.
    #[error("{error}")]
    List {
        provider: String,
        error: Box<ListError>,
    },
    /// A provider's endpoint failed to answer.
    #[error("{error}")]
    Check {
        provider: String,
        error: Box<ProviderError>,
    },
    #[error(transparent)]
    Task(#[from] JoinError),
}
