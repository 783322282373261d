//! The wire `openai-responses`: the Responses API over HTTP, without anything kept at the endpoint.
//!
//! A base URL is what stands before `/responses`, such as `https://api.openai.com/v1`. If it has no
//! path at all, the `/v1` that hosts have there is added; a few hosts are known to have none.

mod answer;
mod dialect;
mod history;
mod output;
mod request;
mod stop;
mod usage;

use reqwest::Url;
use scorel_runtime::ModelRequest;

use crate::wire::{self, ModelOrigin, Wire, with_path};

pub(crate) use dialect::Dialect;

/// The wire.
#[derive(Debug)]
pub(crate) struct OpenAiResponses;

/// All that a call over this wire needs beside the request.
type Endpoint = wire::Endpoint<OpenAiResponses>;

impl Wire for OpenAiResponses {
    const API: &'static str = "openai-responses";

    type Dialect = Dialect;
    type Answer = answer::Answer;

    fn url(base: Url, _model: &str) -> Url {
        let versioned = Dialect::of_host(base.host_str()).versioned;
        let path = if versioned && base.path() == "/" {
            "v1/responses"
        } else {
            "responses"
        };
        with_path(base, path)
    }

    fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
        request::render(endpoint, request)
    }

    fn answer(origin: ModelOrigin) -> answer::Answer {
        answer::Answer::new(origin)
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::{Dialect, OpenAiResponses};
    use crate::ModelConfig;
    use crate::place::Place;
    use crate::wire::Wire;
    use crate::wire_dialect::WireDialect;

    #[test]
    fn a_custom_entry_gets_the_ways_of_its_host_on_this_wire() {
        for (base, dialect) in [
            ("https://api.openai.com/v1", Dialect::OPENAI),
            ("http://127.0.0.1:1234/v1", Dialect::COMPATIBLE),
        ] {
            let config = ModelConfig::custom("mine", OpenAiResponses::API, base, "gpt-5");
            match Place::of(&config).unwrap().wire {
                WireDialect::OpenAiResponses(found) => assert_eq!(found, dialect),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_base_url_works_with_and_without_its_version() {
        for (base, expected) in [
            (
                "https://api.openai.com/v1",
                "https://api.openai.com/v1/responses",
            ),
            (
                "https://api.openai.com",
                "https://api.openai.com/v1/responses",
            ),
            (
                "https://api.openai.com/v1/",
                "https://api.openai.com/v1/responses",
            ),
            (
                "http://127.0.0.1:1234",
                "http://127.0.0.1:1234/v1/responses",
            ),
            (
                "https://host/llm/openai",
                "https://host/llm/openai/responses",
            ),
            (
                "https://x.openai.azure.com/openai/v1?api-version=preview",
                "https://x.openai.azure.com/openai/v1/responses?api-version=preview",
            ),
            (
                "https://api.githubcopilot.com",
                "https://api.githubcopilot.com/responses",
            ),
            (
                "https://api.deepseek.com",
                "https://api.deepseek.com/responses",
            ),
        ] {
            let url = OpenAiResponses::url(Url::parse(base).unwrap(), "m");
            assert_eq!(url.as_str(), expected);
        }
    }
}
