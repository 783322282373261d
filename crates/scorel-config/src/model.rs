use std::collections::BTreeMap;

use scorel_proto::ThinkingLevel;
use scorel_provider::{ModelConfig, SetupError, key_variables};

/// The endpoints of `[providers.NAME]` tables, by name. The id of their models is empty.
pub(crate) type CustomProviders = BTreeMap<String, ModelSettings>;

/// The configured model, its endpoint and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    pub model: ModelConfig,
    /// The variables that hold the key for exactly this endpoint, in the order in which they are looked up;
    /// none if it needs no key or none is named.
    pub key_names: Vec<String>,
    pub thinking: ThinkingLevel,
}

impl ModelSettings {
    /// The built-in demonstration, which needs no endpoint and no key.
    pub fn demo() -> Self {
        Self {
            model: ModelConfig::demo(),
            key_names: Vec::new(),
            thinking: ThinkingLevel::Default,
        }
    }

    pub fn is_demo(&self) -> bool {
        self.model.source.is_demo()
    }

    pub fn provider(&self) -> &str {
        self.model.source.provider()
    }

    /// The model as `provider/id`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.provider(), self.model.id)
    }

    /// Uses another model of the same provider. The id is taken literally: in a project's file it
    /// must not select another provider.
    #[must_use]
    pub(crate) fn with_id(self, id: &str, custom: &CustomProviders) -> Self {
        if self.model.id == id {
            return self;
        }
        let model = match custom.get(self.provider()) {
            // `[model]` describes one model, the table all of them.
            Some(table) if table.model.source == self.model.source => ModelConfig {
                stop_sequences: self.model.stop_sequences.clone(),
                ..table.model.with_id(id)
            },
            _ => self.model.with_id(id),
        };
        Self { model, ..self }
    }

    /// Uses the model that a client named: an id at the configured provider, or `provider:id` with a
    /// custom provider, whose key then applies, or with a built-in one at its usual key.
    pub fn named(self, name: &str, custom: &CustomProviders) -> Result<Self, SetupError> {
        let others: Vec<_> = custom.values().map(|settings| &settings.model).collect();
        let model = self.model.named(name, &others)?;
        if model.source == self.model.source {
            return Ok(self.with_id(&model.id, custom));
        }
        let key_names = match custom.get(model.source.provider()) {
            Some(settings) => settings.key_names.clone(),
            None => usual_key_names(model.source.provider()),
        };
        Ok(Self {
            model,
            key_names,
            ..self
        })
    }
}

/// The usual variables of a built-in provider's key; none if it needs no key.
pub fn usual_key_names(provider: &str) -> Vec<String> {
    let names = key_variables(provider).iter();
    names.map(ToString::to_string).collect()
}
