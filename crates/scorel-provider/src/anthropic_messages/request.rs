use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};
use scorel_engine::{ModelRequest, ThinkingLevel, ToolSpec};
use serde_json::{Value, json};

use super::decoder::AnthropicDecoder;
use super::dialect::{AnthropicDialect, AnthropicEndpoint};
use super::history::{AnthropicHistory, cache_here};
use super::thinking::ClaudeThinking;
use crate::wire::{JsonBody, Wire, with_path};

#[derive(Debug)]
pub(crate) struct AnthropicMessages;

impl Wire for AnthropicMessages {
    const API: &'static str = "anthropic-messages";
    const KEY_HEADER: Option<&'static str> = Some("x-api-key");

    type Dialect = AnthropicDialect;
    type History = AnthropicHistory;
    type Decoder = AnthropicDecoder;

    fn url(base: Url, _model: &str) -> Url {
        let versioned = base.path().trim_end_matches('/').ends_with("/v1");
        with_path(base, if versioned { "messages" } else { "v1/messages" })
    }

    fn headers(endpoint: &AnthropicEndpoint) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        if let Some(beta) = beta(endpoint) {
            headers.insert("anthropic-beta", HeaderValue::from_static(beta));
        }
        headers
    }

    /// Cache breakpoints: the API takes four and looks back 20 blocks from each. They are set after the
    /// tools, after the system prompt, and in the last two user messages, so that each request reads
    /// what the one before it wrote.
    fn head(endpoint: &AnthropicEndpoint, request: &ModelRequest, body: &mut JsonBody) {
        body.set("model", endpoint.model.id.as_str());
        body.set("max_tokens", output_limit(endpoint));
        if !request.tools.is_empty() {
            body.set("tools", tools(&request.tools));
        }
        if !request.system.trim().is_empty() {
            let mut system = json!({"type": "text", "text": request.system});
            cache_here(&mut system);
            body.set("system", json!([system]));
        }
        body.begin_list("messages");
    }

    fn tail(
        endpoint: &AnthropicEndpoint,
        request: &ModelRequest,
        history: &AnthropicHistory,
        body: &mut JsonBody,
    ) {
        body.set("stream", true);
        let stops: Vec<&str> = stop_sequences(endpoint).collect();
        if !stops.is_empty() {
            body.set("stop_sequences", stops);
        }
        body.extend(thinking(endpoint, request, history.lacks_thinking()));
    }
}

fn beta(endpoint: &AnthropicEndpoint) -> Option<&'static str> {
    let allowed = endpoint.dialect.betas && endpoint.reasoning;
    let thinking = ClaudeThinking::of(&endpoint.model.id);
    thinking.beta().filter(|_| allowed)
}

/// `max_tokens` is required.
fn output_limit(endpoint: &AnthropicEndpoint) -> u64 {
    endpoint
        .output_limit
        .unwrap_or(endpoint.model.max_output_tokens)
}

/// The fields that control reasoning.
///
/// With a thinking budget, the API rejects a tool loop whose assistant messages do not begin with
/// thinking ("expected thinking or redacted_thinking"). A loop that began without it, or with
/// another model's, therefore ends without it.
fn thinking(
    endpoint: &AnthropicEndpoint,
    request: &ModelRequest,
    lacks_thinking: bool,
) -> Vec<(&'static str, Value)> {
    let (thinking, level) = (ClaudeThinking::of(&endpoint.model.id), request.thinking);
    let too_late =
        thinking == ClaudeThinking::Budget && level != ThinkingLevel::None && lacks_thinking;
    if !endpoint.reasoning || too_late {
        return Vec::new();
    }
    let limit = output_limit(endpoint);
    thinking.fields(level, limit, endpoint.levels, endpoint.dialect.betas)
}

/// The API rejects blank stop sequences.
fn stop_sequences(endpoint: &AnthropicEndpoint) -> impl Iterator<Item = &str> {
    let stops = endpoint.stop_sequences.iter().map(String::as_str);
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
        "input_schema": *spec.parameters,
    })
}

#[cfg(test)]
mod tests;
