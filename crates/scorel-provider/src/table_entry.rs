use crate::builtin::{KnownModel, find_builtin};
use crate::demo::Demo;
use crate::{ModelFacts, Retirement};

/// A model of a built-in provider, as the table has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry {
    pub id: String,
    pub facts: ModelFacts,
    /// The page that states the facts; `None` for the demo.
    pub source: Option<String>,
    /// True if `source` is not one of the provider's own pages.
    pub unverified: bool,
    pub retires: Option<Retirement>,
}

impl TableEntry {
    /// The known models of a built-in provider, the default suggestion first.
    pub fn of_builtin(provider: &str) -> Vec<Self> {
        if provider == Demo::NAME {
            return vec![Self::of_demo()];
        }
        let Some(builtin) = find_builtin(provider) else {
            return Vec::new();
        };
        let entry = |model: &KnownModel| Self {
            id: model.id.clone(),
            facts: builtin.facts(&model.id),
            source: Some(model.source.clone()),
            unverified: model.unverified,
            retires: model.retires.clone(),
        };
        builtin.models().map(entry).collect()
    }

    fn of_demo() -> Self {
        Self {
            id: Demo::NAME.to_owned(),
            facts: ModelFacts {
                context_window: Some(Demo::CONTEXT_WINDOW),
                max_output_tokens: Some(Demo::MAX_OUTPUT_TOKENS),
                reasoning: Some(false),
                images: Some(false),
                ..ModelFacts::default()
            },
            source: None,
            unverified: false,
            retires: None,
        }
    }
}
