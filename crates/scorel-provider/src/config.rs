//! What a caller says about the model that it wants.

use crate::Price;

/// One model, as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    /// Where the model is.
    pub source: ModelSource,
    /// The model's id at the provider. Empty only for `demo`.
    pub id: String,
    /// How many tokens a request and its answer may have together, if the caller knows better than
    /// the built-in table.
    pub context_window: Option<u64>,
    /// How many tokens an answer may have, if the caller knows better than the built-in table.
    pub max_output_tokens: Option<u64>,
    /// Whether the model can be told how much to think, if the caller knows better than the
    /// built-in table.
    pub reasoning: Option<bool>,
    /// Whether the model takes pictures, if the caller knows better than the built-in table.
    pub images: Option<bool>,
    /// Texts at which the model is to stop; each wire has its own limit of how many it takes.
    pub stop_sequences: Vec<String>,
    /// What the model costs, if the caller knows better than the built-in table.
    pub price: Option<Price>,
    /// The built-in provider whose ways a custom endpoint has; `None` to go by its host.
    pub dialect: Option<String>,
    /// The header that takes the key as it is, where the endpoint wants another than its wire.
    pub key_header: Option<String>,
    /// Headers that go with every call, names and values. Not for credentials.
    pub headers: Vec<(String, String)>,
}

impl ModelConfig {
    /// The offline model that is built in.
    #[must_use]
    pub fn demo() -> Self {
        Self::builtin("demo", "demo")
    }

    /// A model of a built-in provider.
    #[must_use]
    pub fn builtin(provider: impl Into<String>, id: impl Into<String>) -> Self {
        Self::new(
            ModelSource::Builtin {
                provider: provider.into(),
                base_url: None,
            },
            id,
        )
    }

    /// A model at any endpoint that speaks a known wire.
    #[must_use]
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
            images: None,
            stop_sequences: Vec::new(),
            price: None,
            dialect: None,
            key_header: None,
            headers: Vec::new(),
        }
    }
}

/// Where a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// At a provider of the built-in table.
    Builtin {
        /// The provider's name in the table.
        provider: String,
        /// Another base URL than the table's, such as a proxy's.
        base_url: Option<String>,
    },
    /// At an endpoint that the caller describes.
    Custom {
        /// The name to show for it.
        provider: String,
        /// The wire that it speaks, such as `openai-completions`.
        api: String,
        /// The URL under which the wire's paths are, such as `https://host/v1`.
        base_url: String,
    },
}

impl ModelSource {
    /// The provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        match self {
            Self::Builtin { provider, .. } | Self::Custom { provider, .. } => provider,
        }
    }

    /// Whether it is the offline model that is built in.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        matches!(self, Self::Builtin { provider, .. } if provider == "demo")
    }
}
