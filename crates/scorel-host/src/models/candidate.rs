use std::mem;

use scorel_proto::{Model, ModelPrice, ModelProvider};
use scorel_provider::{
    BuiltinProvider, Connector, ListedModel, ModelConfig, ModelFacts, Price, Secret,
};

use super::{ModelError, Models};
use crate::config::{Config, KeyName, ModelSettings};

/// A provider to list.
#[derive(Debug)]
pub(super) struct Candidate {
    settings: ModelSettings,
    key: Result<Option<Secret>, ModelError>,
    local: bool,
    /// Whether it is of a `[providers.NAME]` table.
    custom: bool,
    /// Whether it is the configured one.
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
            key: KeyName::usual(provider.name),
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

    fn key_variables(&self) -> &[String] {
        let key = self.settings.key.as_ref();
        key.map_or(&[], |key| &key.names)
    }

    /// Why its key cannot be used. Takes the error, so the candidate must not be asked afterwards.
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

    /// Merges the endpoint's answer with the built-in table and the configuration.
    pub(super) fn outcome(&self, listed: Result<Vec<ListedModel>, Unlisted>) -> ListedProvider {
        let problem = listed.as_ref().err().and_then(Unlisted::problem);
        let live = listed.is_ok();
        let mut models = match listed {
            Ok(listed) => listed.into_iter().map(|one| self.listed(one)).collect(),
            Err(_) => self.table(),
        };
        self.add_configured(&mut models);
        let provider = ModelProvider {
            name: self.name().to_owned(),
            key_variables: self.key_variables().to_vec(),
            has_key: matches!(self.key, Ok(Some(_))),
            local: self.local,
            custom: self.custom,
            live,
            problem,
        };
        ListedProvider { provider, models }
    }

    fn listed(&self, listed: ListedModel) -> Model {
        Model {
            name: listed.name,
            live: true,
            ..self.model(&listed.id, listed.facts)
        }
    }

    fn table(&self) -> Vec<Model> {
        ModelFacts::of_builtin(self.name())
            .into_iter()
            .map(|(id, facts)| self.model(id, facts))
            .collect()
    }

    /// The configured model is always listed, even if neither the endpoint nor the table names it.
    fn add_configured(&self, models: &mut Vec<Model>) {
        let id = &self.settings.model.id;
        if self.is_default && !models.iter().any(|model| model.id == *id) {
            models.insert(0, self.model(id, ModelFacts::default()));
        }
    }

    fn model(&self, id: &str, facts: ModelFacts) -> Model {
        let facts = if self.is_default && self.settings.model.id == id {
            ModelFacts::configured(&self.settings.model).or(facts)
        } else {
            facts
        };
        Model {
            provider: self.name().to_owned(),
            id: id.to_owned(),
            name: None,
            context_window: facts.context_window,
            max_output_tokens: facts.max_output_tokens,
            reasoning: facts.reasoning,
            images: facts.images,
            price: facts.price.map(price),
            live: false,
        }
    }
}

fn price(price: Price) -> ModelPrice {
    ModelPrice {
        input: Price::to_dollars(price.input),
        output: Price::to_dollars(price.output),
        cache_read: price.cache_read.map(Price::to_dollars),
        cache_write: price.cache_write.map(Price::to_dollars),
        noted_on: price.noted_on.map(str::to_owned),
    }
}

/// Why there is no live list.
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
