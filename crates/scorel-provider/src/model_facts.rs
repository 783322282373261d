use crate::builtin::{Builtin, KnownModel};
use crate::demo::Demo;
use crate::{ModelConfig, Price};

/// What is known about a model; nothing where nobody said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// How many tokens a request and its answer may have together.
    pub context_window: Option<u64>,
    /// How many tokens an answer may have.
    pub max_output_tokens: Option<u64>,
    /// Whether it can be told how much to think.
    pub reasoning: Option<bool>,
    /// Whether it takes pictures.
    pub images: Option<bool>,
    /// What it costs.
    pub price: Option<Price>,
}

impl ModelFacts {
    /// What a caller says about the model that it wants.
    #[must_use]
    pub fn configured(config: &ModelConfig) -> Self {
        Self {
            context_window: config.context_window,
            max_output_tokens: config.max_output_tokens,
            reasoning: config.reasoning,
            images: config.images,
            price: config.price,
        }
    }

    /// What the table knows.
    pub(crate) fn known(model: Option<&KnownModel>) -> Self {
        model.map_or_else(Self::default, |model| Self {
            context_window: Some(model.context_window),
            max_output_tokens: Some(model.max_output_tokens),
            reasoning: Some(model.reasoning),
            images: Some(model.images),
            price: model.price,
        })
    }

    /// The models of a built-in provider that the table knows, the one to suggest first.
    #[must_use]
    pub fn of_builtin(provider: &str) -> Vec<(&'static str, Self)> {
        if provider == Demo::NAME {
            return vec![(Demo::NAME, Self::of_demo())];
        }
        let models = Builtin::find(provider).map_or(&[][..], |builtin| builtin.models);
        let facts = |model: &'static KnownModel| (model.id, Self::known(Some(model)));
        models.iter().map(facts).collect()
    }

    fn of_demo() -> Self {
        Self {
            context_window: Some(Demo::CONTEXT_WINDOW),
            max_output_tokens: Some(Demo::MAX_OUTPUT_TOKENS),
            reasoning: Some(false),
            images: Some(false),
            price: None,
        }
    }

    /// These facts, and the others where these are silent.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            context_window: self.context_window.or(others.context_window),
            max_output_tokens: self.max_output_tokens.or(others.max_output_tokens),
            reasoning: self.reasoning.or(others.reasoning),
            images: self.images.or(others.images),
            price: self.price.or(others.price),
        }
    }
}
