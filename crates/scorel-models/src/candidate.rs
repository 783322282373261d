use std::mem;

use scorel_config::{Config, ModelSettings, usual_key_names};
use scorel_proto::{Model, ModelProvider};
use scorel_provider::{
    BuiltinProvider, Connector, EndpointId, ListedModel, ModelConfig, Secret, TableEntry,
};

use super::calendar::day_of;
use super::model_view::ModelView;
use super::{ModelError, Models};

/// A provider to list.
#[derive(Debug)]
pub(super) struct Candidate {
    settings: ModelSettings,
    key: Result<Option<Secret>, ModelError>,
    local: bool,
    /// True if it is of a `[providers.NAME]` table.
    custom: bool,
    /// True if it is the configured one.
    is_default: bool,
}

/// A provider and its models, as `listModels` returns them.
#[derive(Debug)]
pub(super) struct ListedProvider {
    pub(super) provider: ModelProvider,
    pub(super) models: Vec<Model>,
}

impl Candidate {
    /// The configured provider, which turns use.
    pub(super) fn configured(models: &Models, config: &Config) -> Self {
        let settings = &config.model;
        let builtin = BuiltinProvider::all().find(|known| known.name == settings.provider());
        Self {
            key: models.key(settings),
            settings: settings.clone(),
            local: builtin.is_some_and(|known| known.is_local()),
            custom: config.providers.contains_key(settings.provider()),
            is_default: true,
        }
    }

    /// The endpoint of a `[providers.NAME]` table.
    pub(super) fn custom(models: &Models, settings: &ModelSettings) -> Self {
        Self {
            key: models.key(settings),
            settings: settings.clone(),
            local: false,
            custom: true,
            is_default: false,
        }
    }

    /// A built-in provider at its own address.
    pub(super) fn builtin(models: &Models, provider: &BuiltinProvider) -> Self {
        let settings = ModelSettings {
            model: ModelConfig::builtin(provider.name, ""),
            key_names: usual_key_names(provider.name),
            ..ModelSettings::demo()
        };
        Self {
            key: models.key(&settings),
            settings,
            local: provider.is_local(),
            custom: false,
            is_default: false,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.settings.provider()
    }

    /// `None` for the demo, and for a configuration that names no endpoint.
    pub(super) fn endpoint(&self) -> Option<EndpointId> {
        self.settings.model.endpoint().ok().flatten()
    }

    fn key_variables(&self) -> &[String] {
        &self.settings.key_names
    }

    /// The reason why its key cannot be used. Takes the error, so the candidate must not be asked afterwards.
    pub(super) fn take_key_problem(&mut self) -> Option<ModelError> {
        mem::replace(&mut self.key, Ok(None))
            .map(|key| self.key = Ok(key))
            .err()
    }

    pub(super) async fn ask(&self, connector: &Connector) -> Result<Vec<ListedModel>, Unlisted> {
        if self.settings.is_demo() {
            return Err(Unlisted::NoEndpoint);
        }
        let key = match &self.key {
            Ok(key) => key.clone(),
            Err(error) => return Err(Unlisted::Key(error.to_string())),
        };
        let listed = connector.list_models(&self.settings.model, key).await;
        listed.map_err(Unlisted::Failed)
    }

    /// Merges the endpoint's answer, or the one before, with the built-in table and the configuration.
    /// `before` has the time of that answer; both times are in milliseconds since 1970.
    pub(super) fn outcome(
        &self,
        listed: &Result<Vec<ListedModel>, Unlisted>,
        before: Option<(u64, Vec<ListedModel>)>,
        now_ms: u64,
    ) -> ListedProvider {
        let problem = listed.as_ref().err().and_then(Unlisted::problem);
        let live = listed.is_ok();
        let view = ModelView {
            provider: self.name(),
            has_key: self.key.is_ok(),
            today: day_of(now_ms),
        };
        let (listed_at, mut models) = match (listed, before) {
            (Ok(listed), _) => {
                let models = listed.iter().map(|one| view.listed(one, live));
                (Some(now_ms), models.collect())
            }
            (Err(_), Some((listed_at, before))) => {
                (Some(listed_at), self.listed_before(view, before))
            }
            (Err(_), None) => (None, self.table(view)),
        };
        self.set_configured(view, &mut models);
        let provider = ModelProvider {
            name: self.name().to_owned(),
            key_variables: self.key_variables().to_vec(),
            has_key: matches!(self.key, Ok(Some(_))),
            local: self.local,
            custom: self.custom,
            live,
            problem,
            listed_at,
        };
        ListedProvider { provider, models }
    }

    fn listed_before(&self, view: ModelView<'_>, before: Vec<ListedModel>) -> Vec<Model> {
        let models = self.settings.model.complete(before).unwrap_or_default();
        models.iter().map(|one| view.listed(one, false)).collect()
    }

    fn table(&self, view: ModelView<'_>) -> Vec<Model> {
        let entries = TableEntry::of_builtin(self.name()).into_iter();
        entries.filter_map(|entry| view.tabled(&entry)).collect()
    }

    /// The configured model is always listed, even if neither the endpoint nor the table names it. What
    /// is configured of it counts.
    fn set_configured(&self, view: ModelView<'_>, models: &mut Vec<Model>) {
        if !self.is_default {
            return;
        }
        let config = &self.settings.model;
        match models.iter_mut().find(|model| model.id == config.id) {
            Some(model) => view.set_facts(model, config.stated),
            None => {
                let known = config.facts().unwrap_or_default();
                models.insert(0, view.model(&config.id, known));
            }
        }
    }
}

/// The reason why there is no live list.
#[derive(Debug)]
pub(super) enum Unlisted {
    /// The call had `live: false`.
    NotAsked,
    /// The demo has no endpoint.
    NoEndpoint,
    Key(String),
    /// The request failed.
    Failed(scorel_provider::ListError),
}

impl Unlisted {
    fn problem(&self) -> Option<String> {
        match self {
            Self::NotAsked | Self::NoEndpoint => None,
            Self::Key(problem) => Some(problem.clone()),
            Self::Failed(error) => Some(error.to_string()),
        }
    }
}
