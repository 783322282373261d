use jiff::civil::Date;
use serde::Deserialize;

use super::model_price::TablePrice;
use crate::{ModelFacts, Retirement, ThinkingLevels};

/// A row of the table: the facts about a model of a built-in provider.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KnownModel {
    pub(super) provider: String,
    pub(crate) id: String,
    /// Input and output together, in tokens.
    pub(super) context: Option<u64>,
    /// The longest answer, in tokens.
    pub(super) output: Option<u64>,
    /// True if the model takes parameters that control reasoning; its family's rule if absent.
    pub(super) reasoning: Option<bool>,
    /// Its family's levels if absent.
    pub(super) levels: Option<ThinkingLevels>,
    /// True if the model takes image input.
    pub(super) images: Option<bool>,
    pub(super) price: Option<TablePrice>,
    pub(crate) retires: Option<Retirement>,
    /// The page that states the row.
    pub(crate) source: String,
    /// The day of that page, or the earliest that it can be from.
    pub(super) date: Date,
    /// True if the source is not the provider's own page.
    #[serde(default)]
    pub(crate) unverified: bool,
}

impl KnownModel {
    pub(super) fn facts(&self) -> ModelFacts {
        ModelFacts {
            context_window: self.context,
            max_output_tokens: self.output,
            reasoning: self.reasoning,
            levels: self.levels,
            images: self.images,
            price: self.price.map(|price| price.noted_on(self.date)),
        }
    }
}
