use scorel_runtime::{ModelRequest, ThinkingLevel, ToolSpec};
use serde_json::{Map, Value, json};

use super::Endpoint;
use super::history::{self, cache_here};
use super::thinking::Thinking;

/// The body of a call; see [`Wire::render`](crate::wire::Wire::render).
pub(super) fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
    let conversation = history::render(endpoint, &request.messages);
    let thinking = thinking(endpoint, request, conversation.lacks_thinking());
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(endpoint.model.id));
    set("max_tokens", json!(output_limit(endpoint)));
    if !request.tools.is_empty() {
        set("tools", tools(&request.tools));
    }
    if !request.system.trim().is_empty() {
        let mut system = json!({"type": "text", "text": request.system});
        cache_here(&mut system);
        set("system", json!([system]));
    }
    set("messages", conversation.into_messages());
    set("stream", json!(true));
    let stops: Vec<&String> = stop_sequences(endpoint).collect();
    if !stops.is_empty() {
        set("stop_sequences", json!(stops));
    }
    for (name, value) in thinking {
        set(name, value);
    }
    // Values of strings, numbers and lists always have a text.
    Value::Object(body).to_string().into_bytes()
}

/// The wire demands a bound.
fn output_limit(endpoint: &Endpoint) -> u64 {
    endpoint
        .output_limit
        .unwrap_or(endpoint.model.max_output_tokens)
}

/// The fields that tell the model how much to think.
///
/// A model that takes budgets cannot begin to think within a turn that it, or another, began
/// without.
fn thinking(
    endpoint: &Endpoint,
    request: &ModelRequest,
    lacks_thinking: bool,
) -> Vec<(&'static str, Value)> {
    let (thinking, level) = (Thinking::of(&endpoint.model.id), request.thinking);
    let too_late = thinking == Thinking::Budget && level != ThinkingLevel::None && lacks_thinking;
    if !endpoint.reasoning || too_late {
        return Vec::new();
    }
    thinking.fields(level, output_limit(endpoint), endpoint.dialect.betas)
}

/// Endpoints refuse stop sequences of nothing but white space.
fn stop_sequences(endpoint: &Endpoint) -> impl Iterator<Item = &String> {
    let stops = endpoint.stop_sequences.iter();
    stops.filter(|stop| !stop.trim().is_empty())
}

fn tools(specs: &[ToolSpec]) -> Value {
    let mut tools: Vec<Value> = specs.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        cache_here(last);
    }
    Value::Array(tools)
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "input_schema": spec.parameters,
    })
}

#[cfg(test)]
mod tests;
