//! Models: connecting a provider with its key, listing what providers offer, checking one.
//!
//! In: the configuration, keys, and a file of what endpoints have listed. Out: providers for turns, and lists for people.
//! Nothing here knows sessions.

mod calendar;
mod call_error;
mod candidate;
mod check;
mod error;
mod list;
mod lists_file;
mod model_lists;
mod model_view;
mod trial;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::Date;
use scorel_config::{Config, ConfigSource, ModelSettings};
use scorel_engine::{Provider, spawn_blocking};
use scorel_home::SecretStore;
use scorel_proto::ThinkingLevel;
use scorel_provider::{BlobSource, Connector, EndpointId, Secret, SetupError, Timeouts};

use calendar::{Calendar, SystemCalendar, day_of};
use model_lists::ModelLists;

pub use call_error::ModelCallError;
pub use error::ModelError;

/// Connects providers from the configuration and lists their models.
pub struct Models {
    config: Arc<ConfigSource>,
    secrets: SecretStore,
    connector: Mutex<(Timeouts, Connector)>,
    lists: Arc<ModelLists>,
    calendar: Arc<dyn Calendar>,
    watch: Watch,
}

/// Sees the providers that are called: the daemon counts calls.
pub type Watch = Box<dyn Fn(Arc<dyn Provider>) -> Arc<dyn Provider> + Send + Sync>;

/// A model that a caller names for a session, and how much it shall think.
#[derive(Debug, Clone, Copy)]
pub struct WantedModel<'a> {
    /// `None` for the configured one.
    pub name: Option<&'a str>,
    /// The default level stands for the configured one.
    pub level: ThinkingLevel,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").finish_non_exhaustive()
    }
}

impl Models {
    /// `lists` is the file that keeps what endpoints list; `watch` gets every provider.
    pub fn new(
        config: Arc<ConfigSource>,
        secrets: SecretStore,
        lists: PathBuf,
        watch: Watch,
    ) -> Self {
        let timeouts = config.current(None).runtime.timeouts;
        Self {
            config,
            secrets,
            connector: Mutex::new((timeouts, Connector::new(timeouts))),
            lists: Arc::new(ModelLists::new(lists)),
            calendar: Arc::new(SystemCalendar),
            watch,
        }
    }

    /// The provider of the configured model, or of the model that a client named. Reads files.
    pub fn provider(
        &self,
        config: &Config,
        model: Option<&str>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, ModelError> {
        let settings = self.settings(config, model)?;
        let key = self.key(&settings)?;
        settings.model.check_offered(self.today())?;
        let connector = self.connector(config.runtime.timeouts);
        self.ask_in_background(&connector, &settings, key.as_ref());
        let made = connector.connect(&settings.model, key, blobs);
        let made = made.map_err(|error| match error {
            // `key` is absent although the provider needs one: only a `baseUrl` of the user's own without
            // `apiKeyEnv` leads here, which the provider's crate cannot know.
            SetupError::MissingKey { provider, .. } => ModelError::UnnamedKey { provider },
            other => ModelError::from(other),
        })?;
        Ok((self.watch)(made))
    }

    /// The thinking level of a turn: the requested one, or else the configured one. Reads files.
    pub fn thinking(
        &self,
        config: &Config,
        wanted: WantedModel<'_>,
    ) -> Result<ThinkingLevel, ModelError> {
        let level = match wanted.level {
            ThinkingLevel::Default => config.model.thinking,
            level => level,
        };
        let settings = self.settings(config, wanted.name)?;
        settings.model.check_level(level)?;
        Ok(level)
    }

    /// Checks a model that a client named without asking its endpoint: the provider is known, its key is
    /// set, the model is not retired and has the thinking level.
    pub async fn accept(
        self: &Arc<Self>,
        project: PathBuf,
        name: Option<String>,
        level: ThinkingLevel,
    ) -> Result<(), ModelCallError> {
        let models = Arc::clone(self);
        let look = move || {
            let config = models.config.current(Some(&project));
            let wanted = WantedModel {
                name: name.as_deref(),
                level,
            };
            if wanted.name.is_some() {
                let settings = models.settings(&config, wanted.name)?;
                models.key(&settings)?;
                settings.model.check_offered(models.today())?;
            }
            models.thinking(&config, wanted).map(drop)
        };
        spawn_blocking(look).await?.map_err(ModelCallError::Named)
    }

    /// The settings of the configured model or of a named one, with what its endpoint listed. Reads
    /// files.
    fn settings(&self, config: &Config, name: Option<&str>) -> Result<ModelSettings, SetupError> {
        let mut settings = config.model.clone();
        if let Some(name) = name {
            settings = settings.named(name, &config.providers)?;
        }
        let endpoint = settings.model.endpoint()?;
        let id = &settings.model.id;
        settings.model.listed = endpoint.and_then(|endpoint| self.lists.facts(&endpoint, id));
        Ok(settings)
    }

    /// Asks an endpoint for its models if a low limit has to be assumed without its list. The turn that
    /// needs it does not wait: the next one has the list.
    fn ask_in_background(
        &self,
        connector: &Connector,
        settings: &ModelSettings,
        key: Option<&Secret>,
    ) {
        let Ok(Some(endpoint)) = settings.model.endpoint() else {
            return;
        };
        let wanted = settings.model.listed.is_none() && settings.model.assumes_output_limit();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if !wanted || !self.lists.begin_asking(&endpoint, self.calendar.now_ms()) {
            return;
        }
        let (connector, model) = (connector.clone(), settings.model.clone());
        let (lists, calendar) = (Arc::clone(&self.lists), Arc::clone(&self.calendar));
        let key = key.cloned();
        runtime.spawn(async move {
            match connector.list_models(&model, key).await {
                Ok(models) => keep(lists, calendar, vec![(endpoint, models)]).await,
                Err(error) => {
                    tracing::info!(provider = model.source.provider(), %error, "no list of models");
                }
            }
        });
    }

    fn today(&self) -> Date {
        day_of(self.calendar.now_ms())
    }

    /// The key of a model; `None` if it needs none. A named key must be set.
    fn key(&self, settings: &ModelSettings) -> Result<Option<Secret>, ModelError> {
        if settings.key_names.is_empty() {
            return Ok(None);
        }
        for name in &settings.key_names {
            if let Some(secret) = self.secrets.resolve(name)? {
                return Ok(Some(Secret::new(secret)));
            }
        }
        Err(ModelError::NoKey {
            provider: settings.provider().to_owned(),
            variables: settings.key_names.clone(),
            file: self.secrets.file().to_owned(),
        })
    }

    /// The connector for these timeouts. Its connection pool lives until the timeouts change.
    fn connector(&self, timeouts: Timeouts) -> Connector {
        let mut current = self
            .connector
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if current.0 != timeouts {
            *current = (timeouts, Connector::new(timeouts));
        }
        current.1.clone()
    }
}

/// Keeps lists that were just read.
async fn keep(
    lists: Arc<ModelLists>,
    calendar: Arc<dyn Calendar>,
    listed: Vec<(EndpointId, Vec<scorel_provider::ListedModel>)>,
) {
    let write = move || lists.keep(calendar.now_ms(), listed);
    if let Err(error) = scorel_engine::spawn_blocking(write).await {
        tracing::warn!(%error, "lists of models cannot be kept");
    }
}

#[cfg(test)]
mod tests;
