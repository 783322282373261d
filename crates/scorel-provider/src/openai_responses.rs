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

pub(crate) use dialect::ResponsesDialect;
pub(crate) use request::OpenAiResponses;

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
