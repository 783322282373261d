//! The wire `anthropic-messages`: the Messages API of Anthropic, which many gateways speak, too.
//!
//! A base URL is given with or without its version segment: `https://api.anthropic.com`,
//! `https://api.anthropic.com/v1` and `https://gateway.example/anthropic` all work; `/v1` is added
//! where it lacks, then `/messages`. The key goes in `x-api-key`.
//!
//! How a model is told to think is data by its id: see the `thinking` module.

mod answer;
mod blocks;
mod dialect;
mod history;
mod opaque;
mod request;
#[cfg(test)]
mod samples;
mod stop;
mod thinking;
mod usage;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use scorel_runtime::ModelRequest;

pub(crate) use dialect::Dialect;

use self::thinking::Thinking;
use crate::wire::{self, ModelOrigin, Wire, with_path};

/// The wire.
#[derive(Debug)]
pub(crate) struct AnthropicMessages;

/// All that a call over this wire needs beside the request.
type Endpoint = wire::Endpoint<AnthropicMessages>;

impl Wire for AnthropicMessages {
    const API: &'static str = "anthropic-messages";

    type Dialect = Dialect;
    type Answer = answer::Answer;

    fn url(base: Url, _model: &str) -> Url {
        let versioned = base.path().trim_end_matches('/').ends_with("/v1");
        with_path(base, if versioned { "messages" } else { "v1/messages" })
    }

    fn key_header(_dialect: Dialect) -> Option<HeaderName> {
        Some(HeaderName::from_static("x-api-key"))
    }

    fn headers(endpoint: &Endpoint) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        if let Some(beta) = beta(endpoint) {
            headers.insert("anthropic-beta", HeaderValue::from_static(beta));
        }
        headers
    }

    fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
        request::render(endpoint, request)
    }

    fn answer(origin: ModelOrigin) -> answer::Answer {
        answer::Answer::new(origin)
    }
}

/// The feature in trial that requests for the model use.
fn beta(endpoint: &Endpoint) -> Option<&'static str> {
    let allowed = endpoint.dialect.betas && endpoint.reasoning;
    Thinking::of(&endpoint.model.id).beta().filter(|_| allowed)
}

#[cfg(test)]
mod tests;
