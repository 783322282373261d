use scorel_testkit::{ScriptedResponse, WireApi};
use serde_json::json;

/// A model of today on one of the wires, with the facts that the built-in table has of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WireModel {
    pub(crate) api: WireApi,
    pub(super) provider: &'static str,
    pub(super) id: &'static str,
    /// A small model of the same provider.
    pub(super) auxiliary: &'static str,
    /// The path of the endpoint's address.
    path: &'static str,
}

impl WireModel {
    pub(super) const fn of(api: WireApi) -> Self {
        let (provider, id, auxiliary, path) = match api {
            WireApi::OpenAiCompletions => {
                ("deepseek", "deepseek-flash", "deepseek-v4-flash", "/v1")
            }
            WireApi::OpenAiResponses => ("openai", "gpt-6.1-sol", "gpt-6-luna", "/v1"),
            WireApi::AnthropicMessages => {
                ("anthropic", "claude-sonnet-5-5", "claude-haiku-5-5", "")
            }
            WireApi::GoogleGenerativeAi => ("google", "gemini-3.8-flash", "gemini-3.7-flash", ""),
        };
        Self {
            api,
            provider,
            id,
            auxiliary,
            path,
        }
    }

    /// The section `[model]` of a configuration.
    pub(super) fn section(&self, address: &str) -> String {
        let Self {
            provider, id, path, ..
        } = self;
        format!(
            "[model]\nprovider = \"{provider}\"\nid = \"{id}\"\nthinkingLevel = \"medium\"\n\
             baseUrl = \"http://{address}{path}\"\napiKeyEnv = \"STRICT_KEY\"\n"
        )
    }

    /// How its endpoint refuses a request that is too large.
    pub(super) fn overflow(&self) -> ScriptedResponse {
        let error = match self.api {
            WireApi::OpenAiCompletions => json!({
                "message": "This model's maximum context length is 1000000 tokens. However, you \
                    requested 1000417 tokens. Please reduce the length of the messages or completion.",
                "type": "invalid_request_error", "param": null, "code": "invalid_request_error",
            }),
            WireApi::OpenAiResponses => json!({
                "message": "Your input exceeds the context window of this model. Please adjust your \
                    input and try again.",
                "type": "invalid_request_error", "param": "input", "code": "context_length_exceeded",
            }),
            WireApi::AnthropicMessages => json!({
                "type": "invalid_request_error",
                "message": "prompt is too long: 1000417 tokens > 1000000 maximum",
            }),
            WireApi::GoogleGenerativeAi => json!({
                "code": 400, "status": "INVALID_ARGUMENT",
                "message": "The input token count (1050021) exceeds the maximum number of tokens \
                    allowed (1048576).",
            }),
        };
        ScriptedResponse::json(400, json!({"type": "error", "error": error}).to_string())
    }
}
