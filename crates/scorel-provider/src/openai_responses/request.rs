use reqwest::Url;
use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::ThinkingLevel;
use serde_json::{Value, json};

use super::decoder::ResponsesDecoder;
use super::dialect::{ResponsesDialect, ResponsesEndpoint};
use super::history::ResponsesHistory;
use crate::wire::{JsonBody, Wire, digest, with_path};

/// The API's minimum for `max_output_tokens`.
const LEAST_OUTPUT: u64 = 16;

#[derive(Debug)]
pub(crate) struct OpenAiResponses;

impl Wire for OpenAiResponses {
    const API: &'static str = "openai-responses";

    type Dialect = ResponsesDialect;
    type History = ResponsesHistory;
    type Decoder = ResponsesDecoder;

    fn url(base: Url, _model: &str) -> Url {
        let versioned = ResponsesDialect::of_host(base.host_str()).versioned;
        let path = if versioned && base.path() == "/" {
            "v1/responses"
        } else {
            "responses"
        };
        with_path(base, path)
    }

    fn head(endpoint: &ResponsesEndpoint, request: &ModelRequest, body: &mut JsonBody) {
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

    fn tail(
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
