use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_config::Config;
use scorel_engine::spawn_blocking;
use scorel_proto::ListModelsResult;
use scorel_provider::{BuiltinProvider, Connector, EndpointId, ListedModel};
use tokio::task::JoinSet;

use super::candidate::{Candidate, ListedProvider, Unlisted};
use super::{ModelCallError, Models, keep};

/// The providers to list, and what listing needs.
struct ListPlan {
    candidates: Vec<Candidate>,
    connector: Connector,
    default_model: String,
    /// The names of all providers.
    known: Vec<String>,
    models: Arc<Models>,
}

/// A provider as it is shown, and its endpoint's answer, to keep.
struct AskedProvider {
    shown: ListedProvider,
    listed: Option<(EndpointId, Vec<ListedModel>)>,
}

impl Models {
    /// Lists the models of one provider, or of all. With `live`, endpoints are asked concurrently,
    /// each with the 15 s timeout of `Connector::list_models`, and their answers are kept for turns.
    pub async fn list(
        self: &Arc<Self>,
        project: Option<PathBuf>,
        provider: Option<String>,
        live: bool,
    ) -> Result<ListModelsResult, ModelCallError> {
        let (models, only) = (Arc::clone(self), provider.clone());
        let plan = spawn_blocking(move || models.plan(project.as_deref(), only.as_deref())).await?;
        let mut result = ListModelsResult {
            models: Vec::new(),
            default_model: plan.default_model.clone(),
            providers: Vec::new(),
        };
        let asked = match provider {
            Some(name) => vec![plan.one(name, live).await?],
            None => plan.all(live).await,
        };
        let mut answers = Vec::new();
        for AskedProvider { shown, listed } in asked {
            result.models.extend(shown.models);
            result.providers.push(shown.provider);
            answers.extend(listed);
        }
        keep(Arc::clone(&self.lists), Arc::clone(&self.calendar), answers).await;
        Ok(result)
    }

    /// The providers to list, the configured one first. Reads the configuration and the keys.
    fn plan(self: &Arc<Self>, project: Option<&Path>, only: Option<&str>) -> ListPlan {
        let config = self.config.current(project);
        let wanted = |name: &str| only.is_none_or(|only| only == name);
        let configured = config.model.provider();
        let mut candidates = Vec::new();
        if wanted(configured) {
            candidates.push(Candidate::configured(self, &config));
        }
        let tables = config.providers.iter();
        let tables = tables.filter(|(name, _)| *name != configured && wanted(name));
        candidates.extend(tables.map(|(_, table)| Candidate::custom(self, table)));
        let others = BuiltinProvider::all().filter(|known| known.name != configured);
        let others = others.filter(|known| wanted(known.name));
        candidates.extend(others.map(|known| Candidate::builtin(self, &known)));
        ListPlan {
            candidates,
            connector: self.connector(config.runtime.timeouts),
            default_model: config.model.full_name(),
            known: known_providers(&config),
            models: Arc::clone(self),
        }
    }

    /// The provider as it is shown. Reads a file.
    fn shown(
        &self,
        candidate: &Candidate,
        listed: Result<Vec<ListedModel>, Unlisted>,
    ) -> AskedProvider {
        let endpoint = candidate.endpoint();
        let before = endpoint.as_ref().and_then(|known| self.lists.list(known));
        AskedProvider {
            shown: candidate.outcome(&listed, before, self.calendar.now_ms()),
            listed: endpoint.zip(listed.ok()),
        }
    }
}

/// The names that can be asked for.
fn known_providers(config: &Config) -> Vec<String> {
    let builtin = BuiltinProvider::all().map(|known| known.name.to_owned());
    config.providers.keys().cloned().chain(builtin).collect()
}

impl ListPlan {
    /// The one provider that was named: its failure fails the call.
    async fn one(mut self, name: String, live: bool) -> Result<AskedProvider, ModelCallError> {
        let Some(mut candidate) = self.candidates.pop() else {
            let known = self.known;
            return Err(ModelCallError::UnknownProvider { name, known });
        };
        if !live {
            return shown(self.models, candidate, Err(Unlisted::NotAsked)).await;
        }
        if let Some(error) = candidate.take_key_problem() {
            return Err(ModelCallError::Provider {
                provider: name,
                error,
            });
        }
        match candidate.ask(&self.connector).await {
            Err(Unlisted::Failed(error)) => Err(ModelCallError::List {
                provider: name,
                error: Box::new(error),
            }),
            listed => shown(self.models, candidate, listed).await,
        }
    }

    /// All providers, in order. A failure is reported as that provider's `problem`.
    async fn all(self, live: bool) -> Vec<AskedProvider> {
        let mut asked = JoinSet::new();
        for (place, candidate) in self.candidates.into_iter().enumerate() {
            let (connector, models) = (self.connector.clone(), Arc::clone(&self.models));
            asked.spawn(async move {
                let listed = if live {
                    candidate.ask(&connector).await
                } else {
                    Err(Unlisted::NotAsked)
                };
                (place, shown(models, candidate, listed).await)
            });
        }
        let mut outcomes = asked.join_all().await;
        // Tasks end in any order.
        outcomes.sort_by_key(|(place, _)| *place);
        let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome);
        outcomes.filter_map(Result::ok).collect()
    }
}

/// The same as [`Models::shown`], on a blocking thread.
async fn shown(
    models: Arc<Models>,
    candidate: Candidate,
    listed: Result<Vec<ListedModel>, Unlisted>,
) -> Result<AskedProvider, ModelCallError> {
    Ok(spawn_blocking(move || models.shown(&candidate, listed)).await?)
}
