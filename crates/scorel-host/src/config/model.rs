use scorel_proto::ThinkingLevel;
use scorel_provider::{ModelConfig, SetupError, key_variables};

/// Which model turns use, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// The model and its endpoint.
    pub model: ModelConfig,
    /// The key for exactly this endpoint; `None` if nobody named one.
    pub key: Option<KeyName>,
    /// How much the model should think.
    pub thinking: ThinkingLevel,
}

/// The name of the variable that holds a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName {
    /// The variable, and those that count if it is not set.
    pub names: Vec<String>,
    /// Who named it. The key is for the endpoint that the same layer named and for no other.
    pub layer: Layer,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The program's own table of providers.
    Builtin,
    /// The user's file.
    User,
}

impl ModelSettings {
    /// The model that needs no configuration.
    #[must_use]
    pub fn demo() -> Self {
        Self {
            model: ModelConfig::demo(),
            key: None,
            thinking: ThinkingLevel::Default,
        }
    }

    /// Whether the model is the built-in demonstration.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.model.source.is_demo()
    }

    /// The provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        self.model.source.provider()
    }

    /// The model as `provider/id`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.provider(), self.model.id)
    }

    /// Uses another model of the same provider, whatever its id looks like.
    #[must_use]
    pub fn with_id(self, id: &str) -> Self {
        let model = self.model.with_id(id);
        Self { model, ..self }
    }

    /// Uses the model that a person named: by its id at the configured provider, or with a
    /// provider of the program's own table in front, whose usual key is used then.
    ///
    /// # Errors
    /// The provider is unknown, or no model of it is named.
    pub fn named(self, name: &str) -> Result<Self, SetupError> {
        let model = self.model.named(name)?;
        let key = if model.source == self.model.source {
            self.key
        } else {
            KeyName::usual(model.source.provider())
        };
        Ok(Self { model, key, ..self })
    }
}

impl KeyName {
    /// The variables that people use for the provider, if it wants a key.
    pub(crate) fn usual(provider: &str) -> Option<Self> {
        let names = key_variables(provider).iter();
        let names: Vec<_> = names.map(ToString::to_string).collect();
        (!names.is_empty()).then_some(Self {
            names,
            layer: Layer::Builtin,
        })
    }
}
