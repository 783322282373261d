use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scorel_runtime::{ModelInfo, Provider};

use crate::anthropic_messages::AnthropicMessages;
use crate::blobs::BlobSource;
use crate::demo::Demo;
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::http::Http;
use crate::openai_completions::OpenAiCompletions;
use crate::openai_responses::OpenAiResponses;
use crate::place::Place;
use crate::wire::{ConfiguredHeaders, Endpoint, HttpProvider, Wire};
use crate::wire_dialect::WireDialect;
use crate::{ModelConfig, ModelFacts, Secret, SetupError, Timeouts};

/// What is assumed of a model that nothing is known about, in tokens.
const CONTEXT_WINDOW: u64 = 128_000;
const MAX_OUTPUT_TOKENS: u64 = 8_192;

/// Makes providers. They share connections, which are set up at the first call.
#[derive(Clone)]
pub struct Connector {
    pub(crate) http: Arc<Http>,
    demo_pace: Duration,
}

impl Connector {
    /// A connector without any connection yet.
    #[must_use]
    pub fn new(timeouts: Timeouts) -> Self {
        Self {
            http: Arc::new(Http::new(timeouts)),
            demo_pace: Duration::from_millis(15),
        }
    }

    /// Sets how long the demo waits between two pieces of its answer; zero for not at all.
    #[must_use]
    pub fn with_demo_pace(mut self, pace: Duration) -> Self {
        self.demo_pace = pace;
        self
    }

    /// Makes the provider of a configured model. Nothing is sent.
    ///
    /// `blobs` is where the pictures of the conversation are.
    ///
    /// # Errors
    /// [`SetupError`] when the configuration cannot work.
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
        let place = Place::of(config)?;
        place.check_key(key.as_ref())?;
        self.provider(config, place, key, blobs)
    }

    fn provider(
        &self,
        config: &ModelConfig,
        place: Place<'_>,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        if config.id.is_empty() {
            return Err(SetupError::MissingModel {
                provider: place.provider.to_owned(),
            });
        }
        match place.wire {
            WireDialect::OpenAiCompletions(dialect) => {
                let known = place.model(&config.id);
                let dialect = dialect.with_levels(known.and_then(|known| known.levels));
                self.over::<OpenAiCompletions>(config, place, dialect, key, blobs)
            }
            WireDialect::OpenAiResponses(dialect) => {
                let known = place.model(&config.id);
                let dialect = dialect.with_levels(known.and_then(|known| known.levels));
                self.over::<OpenAiResponses>(config, place, dialect, key, blobs)
            }
            WireDialect::GoogleGenerativeAi => {
                self.over::<GoogleGenerativeAi>(config, place, (), key, blobs)
            }
            WireDialect::AnthropicMessages(dialect) => {
                self.over::<AnthropicMessages>(config, place, dialect, key, blobs)
            }
        }
    }

    fn over<W: Wire>(
        &self,
        config: &ModelConfig,
        place: Place<'_>,
        dialect: W::Dialect,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        let facts = ModelFacts::configured(config).or(ModelFacts::known(place.model(&config.id)));
        let model = ModelInfo {
            provider: place.provider.to_owned(),
            id: config.id.clone(),
            context_window: facts.context_window.unwrap_or(CONTEXT_WINDOW),
            max_output_tokens: facts.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS),
        };
        let headers = ConfiguredHeaders::new(config)?;
        let endpoint = Endpoint::<W> {
            model,
            url: W::url(place.base_url, &config.id),
            key,
            dialect,
            output_limit: facts.max_output_tokens,
            reasoning: facts.reasoning.unwrap_or(true),
            images: facts.images.unwrap_or(true),
            stop_sequences: config.stop_sequences.clone(),
            blobs,
            http: Arc::clone(&self.http),
        };
        Ok(Arc::new(HttpProvider::new(endpoint, headers)))
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
