use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scorel_runtime::{ModelInfo, Provider};

use crate::anthropic_messages::AnthropicMessages;
use crate::blobs::BlobSource;
use crate::demo::Demo;
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::http::Http;
use crate::model_location::ModelLocation;
use crate::openai_completions::OpenAiCompletions;
use crate::openai_responses::OpenAiResponses;
use crate::wire::{ConfiguredHeaders, HttpProvider, ModelEndpoint, Wire};
use crate::wire_dialect::WireDialect;
use crate::{ModelConfig, ModelFacts, Secret, SetupError, Timeouts};

/// Assumed of a model that neither the configuration nor the built-in table describes, in tokens.
const CONTEXT_WINDOW: u64 = 128_000;
const MAX_OUTPUT_TOKENS: u64 = 8_192;

/// Makes providers. Clones share one connection pool, which is set up by the first call.
#[derive(Clone)]
pub struct Connector {
    pub(crate) http: Arc<Http>,
    demo_pace: Duration,
}

impl Connector {
    /// A connector without connections.
    #[must_use]
    pub fn new(timeouts: Timeouts) -> Self {
        Self {
            http: Arc::new(Http::new(timeouts)),
            demo_pace: Duration::from_millis(15),
        }
    }

    /// Sets the delay between two deltas of the demo; zero disables it.
    #[must_use]
    pub fn with_demo_pace(mut self, pace: Duration) -> Self {
        self.demo_pace = pace;
        self
    }

    /// Makes the provider of a configured model. Sends nothing.
    ///
    /// `blobs` supplies the images of the conversation.
    ///
    /// # Errors
    /// The configuration is unusable; see [`SetupError`].
    pub fn connect(
        &self,
        config: &ModelConfig,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        let key = key.filter(|key| !key.is_empty());
        if config.source.is_demo() {
            return Ok(Arc::new(Demo::new(self.demo_pace)));
        }
        let location = ModelLocation::of(config)?;
        location.check_key(key.as_ref())?;
        self.provider(config, location, key, blobs)
    }

    fn provider(
        &self,
        config: &ModelConfig,
        location: ModelLocation<'_>,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        if config.id.is_empty() {
            return Err(SetupError::MissingModel {
                provider: location.provider.to_owned(),
            });
        }
        let levels = location.model(&config.id).and_then(|known| known.levels);
        match location.wire {
            WireDialect::OpenAiCompletions(dialect) => {
                let dialect = dialect.with_levels(levels);
                self.over::<OpenAiCompletions>(config, location, dialect, key, blobs)
            }
            WireDialect::OpenAiResponses(dialect) => {
                let dialect = dialect.with_levels(levels);
                self.over::<OpenAiResponses>(config, location, dialect, key, blobs)
            }
            WireDialect::GoogleGenerativeAi => {
                self.over::<GoogleGenerativeAi>(config, location, (), key, blobs)
            }
            WireDialect::AnthropicMessages(dialect) => {
                self.over::<AnthropicMessages>(config, location, dialect, key, blobs)
            }
        }
    }

    fn over<W: Wire>(
        &self,
        config: &ModelConfig,
        location: ModelLocation<'_>,
        dialect: W::Dialect,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        let known = ModelFacts::known(location.model(&config.id));
        let facts = ModelFacts::configured(config).or(known);
        let model = ModelInfo {
            provider: location.provider.to_owned(),
            id: config.id.clone(),
            context_window: facts.context_window.unwrap_or(CONTEXT_WINDOW),
            max_output_tokens: facts.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS),
        };
        let headers = ConfiguredHeaders::new(config)?;
        let endpoint = ModelEndpoint {
            api: W::API,
            model,
            url: W::url(location.base_url, &config.id),
            key,
            dialect,
            output_limit: facts.max_output_tokens,
            reasoning: facts.reasoning.unwrap_or(true),
            images: facts.images.unwrap_or(true),
            stop_sequences: config.stop_sequences.clone(),
            blobs,
            http: Arc::clone(&self.http),
        };
        Ok(Arc::new(HttpProvider::<W>::new(endpoint, headers)))
    }
}

impl Default for Connector {
    fn default() -> Self {
        Self::new(Timeouts::default())
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
