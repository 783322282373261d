//! `GET v1beta/models` of the Gemini API.

use serde_json::Value;

use super::listed_model::ListedModel;
use super::listing_api::ListingApi;
use super::number::first;
use crate::ModelFacts;

pub(super) const LISTING: ListingApi = ListingApi {
    version: Some("v1beta"),
    key_header: Some("x-goog-api-key"),
    headers: &[],
    query: &[("pageSize", "1000")],
    cursor: Some("pageToken"),
    read: model,
};

/// `None` for models that do not generate text, such as embedding models.
fn model(entry: &Value) -> Option<ListedModel> {
    let methods = entry["supportedGenerationMethods"].as_array();
    let generates =
        methods.is_none_or(|methods| methods.iter().any(|name| name == "generateContent"));
    let id = entry["name"].as_str()?.trim_start_matches("models/");
    let facts = ModelFacts {
        context_window: first(&[&entry["inputTokenLimit"]]),
        max_output_tokens: first(&[&entry["outputTokenLimit"]]),
        reasoning: entry["thinking"].as_bool(),
        ..ModelFacts::default()
    };
    let name = entry["displayName"].as_str().map(str::to_owned);
    (generates && !id.is_empty()).then(|| ListedModel::new(id, name, facts))
}
