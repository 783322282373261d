//! The configuration of one model, as the caller resolved it.

use crate::ModelFacts;

/// One configured model. The stated facts override the endpoint's list and the built-in table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    pub source: ModelSource,
    /// The model's id at the provider. Empty only for `demo`.
    pub id: String,
    /// The facts of the model that the user states. Its largest reply is sent to the provider as the output limit.
    pub stated: ModelFacts,
    /// Strings at which the model stops. Only as many are sent as the provider accepts.
    pub stop_sequences: Vec<String>,
    /// The built-in provider whose dialect a custom endpoint speaks; `None` looks up its host.
    pub dialect: Option<String>,
    /// The header that carries the bare key; `None` for the API's usual one.
    pub key_header: Option<String>,
    /// Headers sent with every request, as names and values. Credentials are rejected.
    pub headers: Vec<(String, String)>,
    /// The model's entry in the endpoint's own list; `None` if it was not read or does not have it.
    pub listed: Option<ModelFacts>,
}

impl ModelConfig {
    pub fn demo() -> Self {
        Self::builtin("demo", "demo")
    }
    pub fn builtin(provider: impl Into<String>, id: impl Into<String>) -> Self {
        Self::new(
            ModelSource::Builtin {
                provider: provider.into(),
                base_url: None,
            },
            id,
        )
    }
    pub fn custom(
        provider: impl Into<String>,
        api: impl Into<String>,
        base_url: impl Into<String>,
        id: impl Into<String>,
    ) -> Self {
        Self::new(
            ModelSource::Custom {
                provider: provider.into(),
                api: api.into(),
                base_url: base_url.into(),
            },
            id,
        )
    }

    fn new(source: ModelSource, id: impl Into<String>) -> Self {
        Self {
            source,
            id: id.into(),
            stated: ModelFacts::default(),
            stop_sequences: Vec::new(),
            dialect: None,
            key_header: None,
            headers: Vec::new(),
            listed: None,
        }
    }
}

/// Where a model is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// A provider of the built-in table.
    Builtin {
        provider: String,
        /// Replaces the table's base URL, such as by a proxy's.
        base_url: Option<String>,
    },
    /// An endpoint that the user described.
    Custom {
        /// The name to show.
        provider: String,
        /// The wire, such as `openai-completions`.
        api: String,
        /// The URL below which the API's paths are, such as `https://host/v1`.
        base_url: String,
    },
}

impl ModelSource {
    pub fn provider(&self) -> &str {
        match self {
            Self::Builtin { provider, .. } | Self::Custom { provider, .. } => provider,
        }
    }

    /// Returns whether this is the offline demo model.
    pub fn is_demo(&self) -> bool {
        matches!(self, Self::Builtin { provider, .. } if provider == "demo")
    }
}
