//! The wire `openai-completions`: chat completions, the API that most servers imitate.
//!
//! The base URL is the part before `/chat/completions`. The imitations differ in many small ways:
//! [`ChatDialect`] holds the differences that must be known before a request; the decoder detects
//! those that a reply shows by itself, such as the field with its reasoning.

mod cache;
mod chat_message;
mod decoder;
mod dialect;
mod history;
mod reasoning;
mod request;
mod think_tags;
mod tool_calls;
mod usage;

use reqwest::Url;
use scorel_engine::ModelRequest;

pub(crate) use dialect::ChatDialect;

use self::decoder::ChatDecoder;
use self::dialect::ChatEndpoint;
use self::history::ChatHistory;
use crate::wire::{JsonBody, Wire, with_path};

#[derive(Debug)]
pub(crate) struct OpenAiCompletions;

impl Wire for OpenAiCompletions {
    const API: &'static str = "openai-completions";

    type Dialect = ChatDialect;
    type History = ChatHistory;
    type Decoder = ChatDecoder;

    fn url(base: Url, _model: &str) -> Url {
        with_path(base, "chat/completions")
    }

    fn head(endpoint: &ChatEndpoint, request: &ModelRequest, body: &mut JsonBody) {
        request::head(endpoint, request, body);
    }

    fn tail(endpoint: &ChatEndpoint, request: &ModelRequest, _: &ChatHistory, body: &mut JsonBody) {
        request::tail(endpoint, request, body);
    }
}
