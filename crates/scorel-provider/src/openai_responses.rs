//! The wire `openai-responses`: OpenAI's Responses API, used without server-side state.
//!
//! The base URL is what stands before `/responses`. Without a path, the `/v1` of most hosts is
//! added; see [`ResponsesDialect`] for those that have none.

mod decoder;
mod dialect;
mod history;
mod output;
mod request;
mod usage;

use reqwest::Url;
use scorel_engine::ModelRequest;

pub(crate) use dialect::ResponsesDialect;

use self::decoder::ResponsesDecoder;
use self::dialect::ResponsesEndpoint;
use self::history::ResponsesHistory;
use crate::wire::{JsonBody, Wire, with_path};

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
        request::head(endpoint, request, body);
    }

    fn tail(
        endpoint: &ResponsesEndpoint,
        request: &ModelRequest,
        history: &ResponsesHistory,
        body: &mut JsonBody,
    ) {
        request::tail(endpoint, request, history, body);
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::OpenAiResponses;
    use crate::wire::Wire;

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
