use crate::builtin::{KnownModel, find_builtin};
use crate::demo::Demo;
use crate::{ModelConfig, Price};

/// Capabilities and price of a model; `None` where they are unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// Input and output together, in tokens.
    pub context_window: Option<u64>,
    /// The largest reply, in tokens.
    pub max_output_tokens: Option<u64>,
    /// Whether the model takes parameters that control reasoning.
    pub reasoning: Option<bool>,
    /// Whether the model takes image input.
    pub images: Option<bool>,
    pub price: Option<Price>,
}

impl ModelFacts {
    /// The facts that the user configured.
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

    /// The facts in the built-in table.
    pub(crate) fn known(model: Option<&KnownModel>) -> Self {
        model.map_or_else(Self::default, |model| Self {
            context_window: Some(model.context_window),
            max_output_tokens: Some(model.max_output_tokens),
            reasoning: Some(model.reasoning),
            images: Some(model.images),
            price: model.price,
        })
    }

    /// The known models of a built-in provider, the default suggestion first.
    #[must_use]
    pub fn of_builtin(provider: &str) -> Vec<(&'static str, Self)> {
        if provider == Demo::NAME {
            return vec![(Demo::NAME, Self::of_demo())];
        }
        let models = find_builtin(provider).map_or(&[][..], |builtin| builtin.models);
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

    /// These facts, completed by `others`.
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
