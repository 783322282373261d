//! The models that the daemon can use: their providers, their keys, what there is to choose from.

mod candidate;
mod check;
mod failure;
mod list;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use scorel_provider::{BlobSource, Connector, Secret, SetupError, Timeouts};
use scorel_runtime::Provider;

use crate::config::{Config, ConfigSource, ModelSettings};
use crate::secret::{SecretError, SecretStore};

/// Makes providers of what is configured, and asks them what they have.
pub(crate) struct Models {
    config: Arc<ConfigSource>,
    secrets: SecretStore,
    connector: Mutex<(Timeouts, Connector)>,
}

/// Why a configured model cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    /// Its key cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// It makes no sense, or its key is missing.
    #[error(transparent)]
    Setup(#[from] SetupError),
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

    /// The provider of the configured model, or of another model of the same provider. Reads files.
    pub(crate) fn provider(
        &self,
        config: &Config,
        model: Option<&str>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Arc<dyn Provider>, ModelError> {
        let mut settings = config.model.clone();
        if let Some(model) = model {
            settings = settings.with_id(model);
        }
        let key = self.key(&settings)?;
        let connector = self.connector(config.runtime.timeouts);
        Ok(connector.connect(&settings.model, key, blobs)?)
    }

    fn key(&self, settings: &ModelSettings) -> Result<Option<Secret>, SecretError> {
        match &settings.key {
            Some(key) => self.secrets.resolve(&key.name),
            None => Ok(None),
        }
    }

    /// The connector for these timeouts. Connections are kept as long as the timeouts stay.
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
