//! `GET v1beta/models` of the Gemini API.

use serde_json::Value;

use super::number::first;
use super::{ListedModel, Listing, Page};
use crate::ModelFacts;

pub(super) const LISTING: Listing = Listing {
    version: Some("v1beta"),
    key_header: Some("x-goog-api-key"),
    headers: &[],
    query: &[("pageSize", "1000")],
    cursor: Some("pageToken"),
    read,
};

fn read(page: &Value) -> Option<Page> {
    let models = page["models"]
        .as_array()?
        .iter()
        .filter_map(model)
        .collect();
    let next = page["nextPageToken"].as_str();
    Some(Page {
        models,
        next: next.filter(|next| !next.is_empty()).map(str::to_owned),
    })
}

fn model(entry: &Value) -> Option<ListedModel> {
    let methods = entry["supportedGenerationMethods"].as_array();
    let converses =
        methods.is_none_or(|methods| methods.iter().any(|name| name == "generateContent"));
    let id = entry["name"].as_str()?.trim_start_matches("models/");
    (converses && !id.is_empty()).then(|| ListedModel {
        id: id.to_owned(),
        name: entry["displayName"].as_str().map(str::to_owned),
        facts: ModelFacts {
            context_window: first(&[&entry["inputTokenLimit"]]),
            max_output_tokens: first(&[&entry["outputTokenLimit"]]),
            reasoning: entry["thinking"].as_bool(),
            images: None,
            price: None,
        },
    })
}
