use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use scorel_engine::{ModelInfo, Provider, TokenPrice};
use scorel_proto::CostSource;
use tokio::time::timeout;

use crate::anthropic_messages::AnthropicMessages;
use crate::blobs::BlobSource;
use crate::builtin::Builtin;
use crate::demo::Demo;
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::http::Http;
use crate::model_location::ModelLocation;
use crate::openai_completions::OpenAiCompletions;
use crate::openai_responses::OpenAiResponses;
use crate::wire::{CallAdvice, ConfiguredHeaders, HttpProvider, ModelEndpoint, ServedModels, Wire};
use crate::wire_dialect::WireDialect;
use crate::{ModelConfig, Price, Secret, SetupError, Timeouts};

/// Assumed of a model that neither the configuration nor the built-in table describes, in tokens.
const CONTEXT_WINDOW: u64 = 128_000;
const MAX_OUTPUT_TOKENS: u64 = 8_192;
/// The time that a failed call waits for the names of the models that it could have meant.
const SUGGESTION_TIMEOUT: Duration = Duration::from_secs(5);
/// The delay between two deltas of the demo, so that a first run shows what streaming looks like.
const DEMO_PACE: Duration = Duration::from_millis(15);

/// Makes providers. Clones share one connection pool, which is set up by the first call.
#[derive(Clone)]
pub struct Connector {
    pub(crate) http: Arc<Http>,
}

impl Connector {
    /// A connector without connections.
    pub fn new(timeouts: Timeouts) -> Self {
        Self {
            http: Arc::new(Http::new(timeouts)),
        }
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
            return Ok(Arc::new(Demo::new(DEMO_PACE)));
        }
        let location = ModelLocation::of(config)?;
        location.check_key(key.as_ref())?;
        if config.id.is_empty() {
            return Err(SetupError::MissingModel {
                provider: location.provider.to_owned(),
            });
        }
        match location.wire {
            WireDialect::OpenAiCompletions(dialect) => {
                self.over::<OpenAiCompletions>(config, location, dialect, key, blobs)
            }
            WireDialect::OpenAiResponses(dialect) => {
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
        let facts = config.facts_at(&location);
        let stated_limit = config.stated.max_output_tokens;
        let known_limit = facts.output_limit();
        let half_the_window = || {
            facts
                .max_output_tokens
                .and(facts.context_window)
                .map(|window| window / 2)
        };
        let model = ModelInfo {
            provider: location.provider.to_owned(),
            id: config.id.clone(),
            context_window: facts.context_window.unwrap_or(CONTEXT_WINDOW),
            max_output_tokens: stated_limit
                .or(known_limit)
                .or_else(half_the_window)
                .unwrap_or(MAX_OUTPUT_TOKENS),
            price: token_price(config, facts.price),
        };
        let states_limit = location.wire.states_known_limit();
        let levels = facts
            .levels
            .unwrap_or_else(|| location.wire.levels(&config.id));
        let headers = ConfiguredHeaders::new(config)?;
        let advice = CallAdvice {
            key_variables: location
                .builtin
                .map_or(&[], |builtin| builtin.key_variables),
            models: Arc::new(EndpointModels {
                connector: self.clone(),
                config: config.clone(),
                key: key.clone(),
                known: location.builtin,
            }),
            retirement: location.retirement(&config.id),
        };
        let endpoint = ModelEndpoint {
            api: W::API,
            model,
            url: W::url(location.base_url, &config.id),
            key,
            dialect,
            output_limit: stated_limit.or(known_limit.filter(|_| states_limit)),
            reasoning: facts.reasoning.unwrap_or(true),
            levels,
            images: facts.images.unwrap_or(true),
            stop_sequences: config.stop_sequences.clone(),
            blobs,
            http: Arc::clone(&self.http),
        };
        Ok(Arc::new(HttpProvider::<W>::new(endpoint, headers, advice)))
    }
}

/// The models of a configured endpoint, for suggestions.
#[derive(Debug)]
struct EndpointModels {
    connector: Connector,
    config: ModelConfig,
    key: Option<Secret>,
    /// The built-in provider, whose table has more.
    known: Option<&'static Builtin>,
}

impl EndpointModels {
    fn known_ids(&self) -> Vec<String> {
        let rows = self.known.into_iter().flat_map(Builtin::models);
        rows.map(|row| row.id.clone()).collect()
    }
}

impl ServedModels for EndpointModels {
    fn ids(&self) -> BoxFuture<'_, Vec<String>> {
        let listed = self.connector.list_models(&self.config, self.key.clone());
        timeout(SUGGESTION_TIMEOUT, listed)
            .map(|listed| match listed {
                Ok(Ok(models)) => models.into_iter().map(|model| model.id).collect(),
                Ok(Err(_)) | Err(_) => self.known_ids(),
            })
            .boxed()
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

/// The price for the sums of a turn. One that the user states is the user's word, whatever its age.
fn token_price(config: &ModelConfig, known: Option<Price>) -> Option<TokenPrice> {
    known.map(|price| TokenPrice {
        input: price.input,
        output: price.output,
        cache_read: price.cache_read,
        cache_write: price.cache_write,
        source: if config.stated.price.is_some() {
            CostSource::Config
        } else {
            CostSource::Table
        },
    })
}

#[cfg(test)]
mod tests;
