//! A model's reply, independent of the API that will carry it.

mod anthropic_messages;
mod google_generative_ai;
mod openai_completions;
mod openai_responses;

use crate::ScriptedResponse;
use crate::strict::WireApi;

/// A model's reply. [`StrictServer`](crate::StrictServer) renders it for the API of the request, with
/// a signature on its reasoning that it checks when the reasoning comes back.
#[derive(Debug, Clone, Default)]
pub struct ModelReply {
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ReplyCall>,
    cut_off: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ReplyCall {
    pub(super) id: String,
    pub(super) name: String,
    /// JSON text, not necessarily valid.
    pub(super) arguments: String,
}

impl ModelReply {
    /// Reasoning before everything else.
    #[must_use]
    pub fn thinking(mut self, text: &str) -> Self {
        self.thinking = Some(text.to_owned());
        self
    }

    /// The text before the calls.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// Appends a tool call; `arguments` is JSON text.
    #[must_use]
    pub fn tool_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls.push(ReplyCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        });
        self
    }

    /// Closes the connection before the stop reason.
    #[must_use]
    pub const fn cut_off(mut self) -> Self {
        self.cut_off = true;
        self
    }

    /// Renders the reply as the model `model` would send it.
    pub(crate) fn render(&self, api: WireApi, model: &str) -> ScriptedResponse {
        // With the number of writes from the stop reason on.
        let (answer, end) = match api {
            WireApi::OpenAiCompletions => (openai_completions::render(self), 3),
            WireApi::OpenAiResponses => (openai_responses::render(self, model), 1),
            WireApi::AnthropicMessages => (anthropic_messages::render(self, model), 2),
            WireApi::GoogleGenerativeAi => (google_generative_ai::render(self, model), 1),
        };
        if self.cut_off {
            answer.without_last(end).cut()
        } else {
            answer
        }
    }
}

/// The signature of a model's reasoning, which no other model accepts.
pub(crate) fn proof(model: &str) -> String {
    format!("proof-of-{model}")
}
