//! `GET v1/models` of Anthropic.

use serde_json::Value;

use super::listed_model::ListedModel;
use super::listing_api::ListingApi;
use super::number::first;
use crate::thinking_levels::level_named;
use crate::wire::non_empty;
use crate::{ModelFacts, ThinkingLevels};

pub(super) const LISTING: ListingApi = ListingApi {
    version: Some("v1"),
    key_header: Some("x-api-key"),
    headers: &[("anthropic-version", "2023-06-01")],
    query: &[("limit", "1000")],
    cursor: Some("after_id"),
    read: model,
};

fn model(entry: &Value) -> Option<ListedModel> {
    let can = &entry["capabilities"];
    let facts = ModelFacts {
        context_window: first(&[&entry["max_input_tokens"]]),
        max_output_tokens: first(&[&entry["max_tokens"]]),
        reasoning: can["thinking"]["supported"].as_bool(),
        levels: efforts(&can["effort"]),
        images: can["image_input"]["supported"].as_bool(),
        price: None,
    };
    let name = entry["display_name"].as_str().map(str::to_owned);
    Some(ListedModel::new(non_empty(&entry["id"])?, name, facts))
}

/// An object with an entry for each level. A model without efforts may still take a budget, so it
/// says nothing about levels.
fn efforts(effort: &Value) -> Option<ThinkingLevels> {
    if effort["supported"] != true {
        return None;
    }
    let all = effort.as_object()?.iter();
    let supported = all.filter(|(_, level)| level["supported"] == true);
    let named: Vec<_> = supported
        .filter_map(|(name, _)| level_named(name))
        .collect();
    (!named.is_empty()).then(|| ThinkingLevels::of(&named))
}
