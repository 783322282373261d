//! `GET v1/models` of Anthropic.

use serde_json::Value;

use super::listed_model::ListedModel;
use super::listing_api::{ListingApi, ModelPage};
use super::number::first;
use crate::ModelFacts;
use crate::wire::non_empty;

pub(super) const LISTING: ListingApi = ListingApi {
    version: Some("v1"),
    key_header: Some("x-api-key"),
    headers: &[("anthropic-version", "2023-06-01")],
    query: &[("limit", "1000")],
    cursor: Some("after_id"),
    read,
};

fn read(page: &Value) -> Option<ModelPage> {
    let models = page["data"].as_array()?.iter().filter_map(model).collect();
    let more = page["has_more"] == true;
    let next = page["last_id"].as_str().filter(|_| more);
    Some(ModelPage {
        models,
        next: next.map(str::to_owned),
    })
}

fn model(entry: &Value) -> Option<ListedModel> {
    Some(ListedModel {
        id: non_empty(&entry["id"])?.to_owned(),
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
