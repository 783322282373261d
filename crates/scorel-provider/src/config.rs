//! The configuration of one model, as the caller resolved it.

use crate::{ModelFacts, Price, ThinkingLevels};

/// One configured model. The optional facts override the endpoint's list and the built-in table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    pub source: ModelSource,
    /// The model's id at the provider. Empty only for `demo`.
    pub id: String,
    /// Input and output together, in tokens.
    pub context_window: Option<u64>,
    /// The largest reply, in tokens. Sent to the provider as the output limit.
    pub max_output_tokens: Option<u64>,
    /// True if the model takes parameters that control reasoning.
    pub reasoning: Option<bool>,
    /// The thinking levels that the model has.
    pub thinking_levels: Option<ThinkingLevels>,
    /// True if the model takes image input.
    pub images: Option<bool>,
    /// Strings at which the model stops. Only as many are sent as the provider accepts.
    pub stop_sequences: Vec<String>,
    pub price: Option<Price>,
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
            context_window: None,
            max_output_tokens: None,
            reasoning: None,
            thinking_levels: None,
            images: None,
            stop_sequences: Vec::new(),
            price: None,
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
