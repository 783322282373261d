use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::ThinkingLevel;
use serde_json::{Value, json};

use super::dialect::ResponsesEndpoint;
use super::history::ResponsesHistory;
use crate::wire::{JsonBody, digest};

/// The API's minimum for `max_output_tokens`.
const LEAST_OUTPUT: u64 = 16;

/// The fields before the conversation.
pub(super) fn head(endpoint: &ResponsesEndpoint, request: &ModelRequest, body: &mut JsonBody) {
    if !endpoint.stop_sequences.is_empty() {
        tracing::warn!(
            "openai-responses takes no stop sequences; the configured ones are not sent"
        );
    }
    body.set("model", endpoint.model.id.as_str());
    if !request.system.is_empty() {
        body.set("instructions", request.system.as_str());
    }
    if !request.tools.is_empty() {
        body.set("tools", request.tools.iter().map(tool).collect::<Value>());
    }
    body.begin_list("input");
}

/// The fields after the conversation.
pub(super) fn tail(
    endpoint: &ResponsesEndpoint,
    request: &ModelRequest,
    history: &ResponsesHistory,
    body: &mut JsonBody,
) {
    let dialect = endpoint.dialect;
    body.set("stream", true);
    // The provider keeps nothing; everything that it needs goes back with each request.
    body.set("store", false);
    let limit = endpoint.output_limit.map(|limit| limit.max(LEAST_OUTPUT));
    body.set_some("max_output_tokens", limit);
    if reasons(endpoint) {
        if dialect.encrypted {
            body.set("include", json!(["reasoning.encrypted_content"]));
        }
        body.set_some("reasoning", reasoning(endpoint, request.thinking));
    }
    if dialect.cache_key {
        body.set("prompt_cache_key", cache_key(request, history.first()));
    }
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": *spec.parameters,
        // Defaults to true, which rejects schemas with optional parameters.
        "strict": false,
    })
}

/// Returns whether the model takes the parameters for reasoning.
fn reasons(endpoint: &ResponsesEndpoint) -> bool {
    let id = &endpoint.model.id;
    let mut plain = endpoint.dialect.plain_models.iter();
    endpoint.reasoning && !plain.any(|prefix| id.starts_with(prefix))
}

fn reasoning(endpoint: &ResponsesEndpoint, level: ThinkingLevel) -> Option<Value> {
    if level == ThinkingLevel::Default {
        return None;
    }
    let effort = endpoint.levels.nearest(level);
    let mut reasoning = json!({"effort": effort});
    if endpoint.dialect.summary && effort != ThinkingLevel::None {
        reasoning["summary"] = json!("auto");
    }
    Some(reasoning)
}

/// Stays the same while a conversation grows: a digest of the system prompt and the first item.
fn cache_key(request: &ModelRequest, first: &str) -> String {
    digest(&format!("{}\n{first}", request.system), 32)
}
