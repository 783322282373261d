use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use scorel_config::Config;
use scorel_engine::{Provider, spawn_blocking};
use scorel_proto::CheckModelResult;
use scorel_provider::NoBlobs;

use super::trial::{TRIAL_TOKENS, trial};
use super::{ModelCallError, ModelError, Models};

impl Models {
    /// Asks the configured model, or the named one, for one word.
    pub async fn check(
        self: &Arc<Self>,
        project: Option<PathBuf>,
        model: Option<String>,
    ) -> Result<CheckModelResult, ModelCallError> {
        let models = Arc::clone(self);
        let made = spawn_blocking(move || models.cheap(project.as_deref(), model.as_deref()));
        let (name, made) = made.await?;
        let provider = made.map_err(|error| ModelCallError::Provider {
            provider: name.clone(),
            error,
        })?;
        let began = Instant::now();
        let answer = trial(&*provider)
            .await
            .map_err(|error| ModelCallError::Check {
                provider: name.clone(),
                error: Box::new(error),
            })?;
        Ok(CheckModelResult {
            model: format!("{name}/{}", provider.model().id),
            answered_by: answer.model,
            usage: answer.usage,
            duration_ms: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
            cut_off_at: answer
                .is_cut_off
                .then_some(provider.model().max_output_tokens),
        })
    }

    /// The provider, limited to a short answer, and its name for errors. Reads files.
    fn cheap(
        &self,
        project: Option<&Path>,
        model: Option<&str>,
    ) -> (String, Result<Arc<dyn Provider>, ModelError>) {
        let mut config = (*self.config.current(project)).clone();
        if let Some(model) = model {
            match config.model.clone().named(model, &config.providers) {
                Ok(named) => config.model = named,
                Err(error) => {
                    let error = ModelError::from(error);
                    return (error.provider().unwrap_or_default().to_owned(), Err(error));
                }
            }
        }
        let provider = self.provider_limited(&mut config, TRIAL_TOKENS);
        (config.model.provider().to_owned(), provider)
    }

    /// The provider of a model that a client or the configuration named, limited to answers of
    /// `max_tokens`. Reads files.
    pub fn limited(
        &self,
        config: &Config,
        model: &str,
        max_tokens: u64,
    ) -> Result<Arc<dyn Provider>, ModelError> {
        let mut config = config.clone();
        config.model = config.model.named(model, &config.providers)?;
        self.provider_limited(&mut config, max_tokens)
    }

    fn provider_limited(
        &self,
        config: &mut Config,
        max_tokens: u64,
    ) -> Result<Arc<dyn Provider>, ModelError> {
        let limit = &mut config.model.model.stated.max_output_tokens;
        *limit = Some(limit.unwrap_or(max_tokens).min(max_tokens));
        self.provider(config, None, Arc::new(NoBlobs))
    }
}
