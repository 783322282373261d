//! `GET v1/models` of Anthropic.

use serde_json::Value;

use super::number::first;
use super::{ListedModel, Listing, Page};
use crate::ModelFacts;

pub(super) const LISTING: Listing = Listing {
    version: Some("v1"),
    key_header: Some("x-api-key"),
    headers: &[("anthropic-version", "2023-06-01")],
    query: &[("limit", "1000")],
    cursor: Some("after_id"),
    read,
};

fn read(page: &Value) -> Option<Page> {
    let models = page["data"].as_array()?.iter().filter_map(model).collect();
    let more = page["has_more"] == true;
    let next = page["last_id"].as_str().filter(|_| more);
    Some(Page {
        models,
        next: next.map(str::to_owned),
    })
}

fn model(entry: &Value) -> Option<ListedModel> {
    Some(ListedModel {
        id: entry["id"].as_str().filter(|id| !id.is_empty())?.to_owned(),
        name: entry["display_name"].as_str().map(str::to_owned),
        facts: ModelFacts {
            context_window: first(&[&entry["max_input_tokens"]]),
            max_output_tokens: first(&[&entry["max_tokens"]]),
            reasoning: entry["capabilities"]["thinking"]["supported"].as_bool(),
            images: entry["capabilities"]["image_input"]["supported"].as_bool(),
            price: None,
        },
    })
}
