use scorel_runtime::ProviderError;

use crate::{ModelFacts, SetupError};

/// A model that an endpoint serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The id to use in requests.
    pub id: String,
    /// The display name, if the endpoint has one.
    pub name: Option<String>,
    /// What the endpoint says about the model, completed by the built-in table.
    pub facts: ModelFacts,
}

/// Why the models of an endpoint could not be listed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ListError {
    /// The configuration is unusable; nothing was sent.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The request failed.
    #[error(transparent)]
    Call(#[from] ProviderError),
}
