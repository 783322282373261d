//! `models.json`: what endpoints listed, with the time. Derived: it may be deleted.

use std::collections::BTreeMap;

use scorel_home::{FormatVersion, MODELS, StateBody, StateKind};
use scorel_provider::{ListedModel, ModelFacts, Price, Retirement, ThinkingLevels};
use serde::{Deserialize, Serialize};

use super::calendar::day_of;

/// The lists that are kept; the oldest goes first.
const MAX_ENDPOINTS: usize = 32;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListsFile {
    version: FormatVersion<1>,
    /// By the name of the endpoint, which does not show its address.
    endpoints: BTreeMap<String, StoredList>,
}

/// What one endpoint listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct StoredList {
    /// In milliseconds since 1970.
    pub(super) listed_at: u64,
    models: Vec<StoredModel>,
}

/// What the endpoint said of a model, without what the table knows.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoredModel {
    id: String,
    name: Option<String>,
    context_window: Option<u64>,
    max_output_tokens: Option<u64>,
    reasoning: Option<bool>,
    thinking_levels: Option<ThinkingLevels>,
    images: Option<bool>,
    price: Option<StoredPrice>,
    retires: Option<Retirement>,
}

/// In millionths of a US dollar per million tokens.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoredPrice {
    input: u64,
    output: u64,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
}

impl StateBody for ListsFile {
    const KIND: &'static StateKind = &MODELS;
    const IN_LINES: bool = false;
}

impl ListsFile {
    pub(super) fn list(&self, endpoint: &str) -> Option<&StoredList> {
        self.endpoints.get(endpoint)
    }

    pub(super) fn insert(&mut self, endpoint: String, list: StoredList) {
        self.endpoints.insert(endpoint, list);
        while self.endpoints.len() > MAX_ENDPOINTS {
            let lists = self.endpoints.iter();
            let oldest = lists.min_by_key(|(_, list)| list.listed_at);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else {
                return;
            };
            self.endpoints.remove(&name);
        }
    }
}

impl StoredList {
    pub(super) fn new(listed_at: u64, models: &[ListedModel]) -> Self {
        Self {
            listed_at,
            models: models.iter().map(StoredModel::from).collect(),
        }
    }

    /// The facts listed under this id, or else under the id with a version date.
    pub(super) fn facts(&self, id: &str) -> Option<ModelFacts> {
        let exact = self.models.iter().find(|model| model.id == id);
        let dated = || {
            let mut models = self.models.iter();
            models.find(|model| scorel_provider::is_version_of(&model.id, id))
        };
        exact.or_else(dated).map(|model| self.facts_of(model))
    }

    pub(super) fn models(&self) -> impl Iterator<Item = ListedModel> {
        self.models.iter().map(|model| ListedModel {
            listed_retirement: model.retires.clone(),
            ..ListedModel::new(model.id.clone(), model.name.clone(), self.facts_of(model))
        })
    }

    fn facts_of(&self, model: &StoredModel) -> ModelFacts {
        ModelFacts {
            context_window: model.context_window,
            max_output_tokens: model.max_output_tokens,
            reasoning: model.reasoning,
            levels: model.thinking_levels,
            images: model.images,
            price: model.price.map(|price| Price {
                input: price.input,
                output: price.output,
                cache_read: price.cache_read,
                cache_write: price.cache_write,
                noted_on: Some(day_of(self.listed_at)),
            }),
        }
    }
}

impl From<&ListedModel> for StoredModel {
    fn from(model: &ListedModel) -> Self {
        let facts = model.listed;
        Self {
            id: model.id.clone(),
            name: model.name.clone(),
            context_window: facts.context_window,
            max_output_tokens: facts.max_output_tokens,
            reasoning: facts.reasoning,
            thinking_levels: facts.levels,
            images: facts.images,
            price: facts.price.map(|price| StoredPrice {
                input: price.input,
                output: price.output,
                cache_read: price.cache_read,
                cache_write: price.cache_write,
            }),
            retires: model.listed_retirement.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
