use scorel_proto::ThinkingLevel;
use scorel_runtime::{ModelRequest, ToolSpec};
use serde_json::{Map, Value, json};

use super::{Dialect, Endpoint, history};
use crate::wire::{digest, nearest};

/// The least bound of an answer that the wire takes, in tokens.
const LEAST_OUTPUT: u64 = 16;

/// The body of a call; see [`Wire::render`](crate::wire::Wire::render).
pub(super) fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
    if !endpoint.stop_sequences.is_empty() {
        tracing::warn!("openai-responses has no stop sequences: those configured are not sent");
    }
    let input = history::render(endpoint, request);
    let cache_key = endpoint
        .dialect
        .cache_key
        .then(|| cache_key(request, &input));
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(endpoint.model.id));
    if !request.system.is_empty() {
        set("instructions", json!(request.system));
    }
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
    }
    set("input", json!(input));
    set("stream", json!(true));
    set("store", json!(false));
    if let Some(limit) = endpoint.output_limit {
        set("max_output_tokens", json!(limit.max(LEAST_OUTPUT)));
    }
    if reasons(endpoint) {
        if endpoint.dialect.encrypted {
            set("include", json!(["reasoning.encrypted_content"]));
        }
        if let Some(reasoning) = reasoning(endpoint.dialect, request.thinking) {
            set("reasoning", reasoning);
        }
    }
    if let Some(key) = cache_key {
        set("prompt_cache_key", json!(key));
    }
    // Values of strings, numbers and lists always have a text.
    Value::Object(body).to_string().into_bytes()
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        // Left out it means true, which wants every parameter to be required.
        "strict": false,
    })
}

/// Whether the model takes what is about reasoning.
fn reasons(endpoint: &Endpoint) -> bool {
    let id = &endpoint.model.id;
    let mut plain = endpoint.dialect.plain_models.iter();
    endpoint.reasoning && !plain.any(|beginning| id.starts_with(beginning))
}

/// How much the model is to think, and whether it is to tell of it.
fn reasoning(dialect: Dialect, level: ThinkingLevel) -> Option<Value> {
    if level == ThinkingLevel::Default {
        return None;
    }
    let effort = nearest(dialect.levels, level);
    let mut reasoning = json!({"effort": effort});
    if dialect.summary && effort != ThinkingLevel::None {
        reasoning["summary"] = json!("auto");
    }
    Some(reasoning)
}

/// The name of the conversation: what it began with.
fn cache_key(request: &ModelRequest, input: &[Value]) -> String {
    let first = input.first().map(Value::to_string).unwrap_or_default();
    digest(&format!("{}\n{first}", request.system), 32)
}
