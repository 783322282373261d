use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use scorel_runtime::{ModelInfo, Provider};

use crate::blobs::BlobSource;
use crate::builtin::{Builtin, Key, builtin_providers};
use crate::demo::Demo;
use crate::http::Http;
use crate::openai_completions::OpenAiCompletions;
use crate::wire::{Endpoint, HttpProvider, Wire};
use crate::wire_dialect::WireDialect;
use crate::{ModelConfig, ModelSource, Secret, SetupError, Timeouts};

/// What is assumed of a model that nothing is known about, in tokens.
const CONTEXT_WINDOW: u64 = 128_000;
const MAX_OUTPUT_TOKENS: u64 = 8_192;

/// Makes providers. They share connections, which are set up at the first call.
#[derive(Clone)]
pub struct Connector {
    http: Arc<Http>,
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
        match &config.source {
            ModelSource::Builtin { provider, .. } if provider == "demo" => {
                Ok(Arc::new(Demo::new(self.demo_pace)))
            }
            ModelSource::Builtin { provider, base_url } => {
                let builtin = Builtin::find(provider).ok_or_else(|| unknown(provider))?;
                if let (Key::Required(variable), None) = (builtin.key, &key) {
                    return Err(SetupError::MissingKey {
                        provider: provider.clone(),
                        variable,
                    });
                }
                let base_url = base_url.as_deref().unwrap_or(builtin.base_url);
                let place = Place::new(provider, base_url, Some(builtin))?;
                self.provider(config, place, builtin.wire, key, blobs)
            }
            ModelSource::Custom {
                provider,
                api,
                base_url,
            } => {
                let compatible = compatible(api)?;
                let place = Place::new(provider, base_url, None)?;
                let wire = place.builtin.map(|builtin| builtin.wire);
                let wire = wire.filter(|wire| wire.api() == compatible.api());
                self.provider(config, place, wire.unwrap_or(compatible), key, blobs)
            }
        }
    }

    fn provider(
        &self,
        config: &ModelConfig,
        place: Place<'_>,
        wire: WireDialect,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        if config.id.is_empty() {
            return Err(SetupError::MissingModel {
                provider: place.provider.to_owned(),
            });
        }
        Ok(match wire {
            WireDialect::OpenAiCompletions(dialect) => {
                self.over::<OpenAiCompletions>(config, place, dialect, key, blobs)
            }
        })
    }

    fn over<W: Wire>(
        &self,
        config: &ModelConfig,
        place: Place<'_>,
        dialect: W::Dialect,
        key: Option<Secret>,
        blobs: Arc<dyn BlobSource>,
    ) -> Arc<dyn Provider> {
        let known = place.builtin.and_then(|builtin| builtin.model(&config.id));
        let output_limit = config
            .max_output_tokens
            .or(known.map(|known| known.max_output_tokens));
        let model = ModelInfo {
            provider: place.provider.to_owned(),
            id: config.id.clone(),
            context_window: config
                .context_window
                .or(known.map(|known| known.context_window))
                .unwrap_or(CONTEXT_WINDOW),
            max_output_tokens: output_limit.unwrap_or(MAX_OUTPUT_TOKENS),
        };
        let reasoning = config.reasoning.or(known.map(|known| known.reasoning));
        let images = config.images.or(known.map(|known| known.images));
        Arc::new(HttpProvider::new(Endpoint::<W> {
            model,
            url: W::url(place.base_url, &config.id),
            key,
            dialect,
            output_limit,
            reasoning: reasoning.unwrap_or(true),
            images: images.unwrap_or(true),
            stop_sequences: config.stop_sequences.clone(),
            blobs,
            http: Arc::clone(&self.http),
        }))
    }
}

/// Where a model is, and what the table knows about the place.
struct Place<'a> {
    /// The name to show.
    provider: &'a str,
    base_url: Url,
    builtin: Option<&'static Builtin>,
}

impl<'a> Place<'a> {
    /// A place that the table does not name may still have the host of one that it does.
    fn new(
        provider: &'a str,
        base_url: &str,
        builtin: Option<&'static Builtin>,
    ) -> Result<Self, SetupError> {
        let base_url = parse_base_url(base_url)?;
        let by_host = || Builtin::with_host(base_url.host_str()?);
        let builtin = builtin.or_else(by_host);
        Ok(Self {
            provider,
            base_url,
            builtin,
        })
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

fn unknown(name: &str) -> SetupError {
    let known = builtin_providers();
    let likeness = |other: &&str| strsim::jaro_winkler(name, other);
    let closest = known
        .iter()
        .copied()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    SetupError::UnknownProvider {
        name: name.to_owned(),
        suggestion: closest.filter(|closest| likeness(closest) > 0.8),
        known,
    }
}

/// What is assumed of an endpoint of that wire.
fn compatible(api: &str) -> Result<WireDialect, SetupError> {
    let wires = WireDialect::COMPATIBLE.into_iter();
    let mut named = wires.clone().filter(|wire| wire.api() == api);
    named.next().ok_or_else(|| SetupError::UnknownApi {
        api: api.to_owned(),
        known: wires.map(WireDialect::api).collect(),
    })
}

fn parse_base_url(text: &str) -> Result<Url, SetupError> {
    let invalid = |reason: &str| SetupError::InvalidBaseUrl {
        reason: reason.to_owned(),
    };
    let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("it must begin with http:// or https://"));
    }
    if url.host_str().is_none() {
        return Err(invalid("it has no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("credentials do not belong into it"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests;
