//! The wire `openai-completions`: chat completions over HTTP, as many servers speak it.

mod answer;
mod cache;
mod history;
mod reasoning;
mod request;
mod stop;
mod think_tags;
mod tool_calls;
mod usage;

use reqwest::Url;
use scorel_runtime::ModelRequest;

use crate::dialect::Dialect;
use crate::wire::{self, ModelOrigin, Wire, with_path};

/// The wire.
#[derive(Debug)]
pub(crate) struct OpenAiCompletions;

/// All that a call over this wire needs beside the request.
type Endpoint = wire::Endpoint<OpenAiCompletions>;

impl Wire for OpenAiCompletions {
    const API: &'static str = "openai-completions";

    type Dialect = Dialect;
    type Answer = answer::Answer;

    fn url(base: Url, _model: &str) -> Url {
        with_path(base, "chat/completions")
    }

    fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
        request::render(endpoint, request)
    }

    fn answer(origin: ModelOrigin) -> answer::Answer {
        answer::Answer::new(origin)
    }
}
