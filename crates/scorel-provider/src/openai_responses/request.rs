use scorel_proto::ThinkingLevel;
use scorel_runtime::{ModelRequest, ToolSpec};
use serde_json::{Value, json};

use super::dialect::{ResponsesDialect, ResponsesEndpoint};
use super::history;
use crate::wire::{JsonBody, digest};

/// The API's minimum for `max_output_tokens`.
const LEAST_OUTPUT: u64 = 16;

pub(super) fn render(endpoint: &ResponsesEndpoint, request: &ModelRequest) -> Vec<u8> {
    if !endpoint.stop_sequences.is_empty() {
        tracing::warn!(
            "openai-responses takes no stop sequences; the configured ones are not sent"
        );
    }
    let dialect = endpoint.dialect;
    let input = history::render(endpoint, request);
    let cache_key = dialect.cache_key.then(|| cache_key(request, &input));
    let mut body = JsonBody::default();
    body.set("model", endpoint.model.id.as_str());
    if !request.system.is_empty() {
        body.set("instructions", request.system.as_str());
    }
    if !request.tools.is_empty() {
        body.set("tools", request.tools.iter().map(tool).collect::<Value>());
    }
    body.set("input", input);
    body.set("stream", true);
    // The provider keeps nothing; everything that it needs goes back with each request.
    body.set("store", false);
    let limit = endpoint.output_limit.map(|limit| limit.max(LEAST_OUTPUT));
    body.set_some("max_output_tokens", limit);
    if reasons(endpoint) {
        if dialect.encrypted {
            body.set("include", json!(["reasoning.encrypted_content"]));
        }
        body.set_some("reasoning", reasoning(dialect, request.thinking));
    }
    body.set_some("prompt_cache_key", cache_key);
    body.into_bytes()
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

/// Whether the model takes the parameters for reasoning.
fn reasons(endpoint: &ResponsesEndpoint) -> bool {
    let id = &endpoint.model.id;
    let mut plain = endpoint.dialect.plain_models.iter();
    endpoint.reasoning && !plain.any(|prefix| id.starts_with(prefix))
}

fn reasoning(dialect: ResponsesDialect, level: ThinkingLevel) -> Option<Value> {
    if level == ThinkingLevel::Default {
        return None;
    }
    let effort = dialect.levels.nearest(level);
    let mut reasoning = json!({"effort": effort});
    if dialect.summary && effort != ThinkingLevel::None {
        reasoning["summary"] = json!("auto");
    }
    Some(reasoning)
}

/// Stays the same while a conversation grows: a digest of the system prompt and the first item.
fn cache_key(request: &ModelRequest, input: &[Value]) -> String {
    let first = input.first().map(Value::to_string).unwrap_or_default();
    digest(&format!("{}\n{first}", request.system), 32)
}
