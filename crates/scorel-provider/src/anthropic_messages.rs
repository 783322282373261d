//! The wire `anthropic-messages`: Anthropic's Messages API, which many gateways also offer.
//!
//! The base URL may or may not include the version: `https://api.anthropic.com`,
//! `https://api.anthropic.com/v1` and `https://gateway.example/anthropic` all work.
//!
//! How a model is told to reason depends on its id; see the `thinking` module.

mod blocks;
mod decoder;
mod dialect;
mod history;
mod opaque;
mod request;
#[cfg(test)]
mod samples;
mod thinking;
mod usage;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};
use scorel_engine::ModelRequest;

pub(crate) use dialect::AnthropicDialect;
pub(crate) use thinking::ClaudeThinking;

use self::decoder::AnthropicDecoder;
use self::dialect::AnthropicEndpoint;
use self::history::AnthropicHistory;
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

    fn head(endpoint: &AnthropicEndpoint, request: &ModelRequest, body: &mut JsonBody) {
        request::head(endpoint, request, body);
    }

    fn tail(
        endpoint: &AnthropicEndpoint,
        request: &ModelRequest,
        history: &AnthropicHistory,
        body: &mut JsonBody,
    ) {
        request::tail(endpoint, request, history, body);
    }
}

fn beta(endpoint: &AnthropicEndpoint) -> Option<&'static str> {
    let allowed = endpoint.dialect.betas && endpoint.reasoning;
    let thinking = ClaudeThinking::of(&endpoint.model.id);
    thinking.beta().filter(|_| allowed)
}

#[cfg(test)]
mod tests;
