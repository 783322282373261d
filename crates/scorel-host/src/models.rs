//! Models: connecting a provider with its key, listing what providers offer, checking one.

mod candidate;
mod check;
mod error;
mod list;
mod trial;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use scorel_provider::{BlobSource, Connector, Secret, SetupError, Timeouts};
use scorel_runtime::Provider;

use crate::call_error::CallError;
use crate::config::{Config, ConfigSource, ModelSettings};
use crate::secret::SecretStore;

pub(crate) use error::ModelError;

/// Connects providers from the configuration and lists their models.
pub(crate) struct Models {
    config: Arc<ConfigSource>,
    secrets: SecretStore,
    connector: Mutex<(Timeouts, Connector)>,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").finish_non_exhaustive()
    }
}

impl Models {
    pub(crate) fn new(config: Arc<ConfigSource>, secrets: SecretStore) -> Self {
        let timeouts = config.current(None).runtime.timeouts;
        Self {
            config,
            secrets,
            connector: Mutex::new((timeouts, Connector::new(timeouts))),
        }
    }

    /// The provider of the configured model, or of the model that a client named. Reads files.
    pub(crate) fn provider(
        &self,
        config: &Config,
        model: Option<&str>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, ModelError> {
        let mut settings = config.model.clone();
        if let Some(model) = model {
            settings = settings.named(model, &config.providers)?;
        }
        let key = self.key(&settings)?;
        let connector = self.connector(config.runtime.timeouts);
        let made = connector.connect(&settings.model, key, blobs);
        made.map_err(|error| match error {
            // `key` is absent although the provider needs one: only a `baseUrl` of the user's own without
            // `apiKeyEnv` leads here, which the provider's crate cannot know.
            SetupError::MissingKey { provider, .. } => ModelError::UnnamedKey { provider },
            other => other.into(),
        })
    }

    /// Checks a model that a client named without asking its endpoint: the provider is known and its
    /// key is set.
    pub(crate) async fn accept(
        self: &Arc<Self>,
        project: PathBuf,
        name: String,
    ) -> Result<(), CallError> {
        let models = Arc::clone(self);
        let look = move || {
            let config = models.config.current(Some(&project));
            let settings = config.model.clone().named(&name, &config.providers)?;
            models.key(&settings).map(drop)
        };
        let accepted = tokio::task::spawn_blocking(look).await;
        accepted
            .map_err(|error| CallError::Internal(error.to_string()))?
            .map_err(CallError::NamedModel)
    }

    /// The key of a model; `None` if it needs none. A named key must be set.
    fn key(&self, settings: &ModelSettings) -> Result<Option<Secret>, ModelError> {
        let Some(wanted) = &settings.key else {
            return Ok(None);
        };
        for name in &wanted.names {
            if let Some(secret) = self.secrets.resolve(name)? {
                return Ok(Some(secret));
            }
        }
        Err(ModelError::NoKey {
            provider: settings.provider().to_owned(),
            variables: wanted.names.clone(),
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
