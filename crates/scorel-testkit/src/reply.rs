//! An answer of a model, in no wire's words yet.

mod anthropic_messages;
mod google_generative_ai;
mod openai_completions;
mod openai_responses;

use crate::Answer;
use crate::strict::Api;

/// What a model answers; rendered for the wire on which it is asked.
///
/// Reasoning carries the proof that the strict endpoint wants back: see
/// [`StrictServer`](crate::StrictServer).
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub(super) thinking: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ReplyCall>,
}

#[derive(Debug, Clone)]
pub(super) struct ReplyCall {
    pub(super) id: String,
    pub(super) name: String,
    /// JSON text.
    pub(super) arguments: String,
}

impl Reply {
    /// Reasoning before all else.
    #[must_use]
    pub fn thinking(mut self, text: &str) -> Self {
        self.thinking = Some(text.to_owned());
        self
    }

    /// The text before any call.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// One more tool call; `arguments` is its JSON text.
    #[must_use]
    pub fn tool_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls.push(ReplyCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        });
        self
    }

    /// The reply as the model with that id gives it over the wire.
    pub(crate) fn render(&self, api: Api, model: &str) -> Answer {
        match api {
            Api::OpenAiCompletions => openai_completions::render(self),
            Api::OpenAiResponses => openai_responses::render(self, model),
            Api::AnthropicMessages => anthropic_messages::render(self, model),
            Api::GoogleGenerativeAi => google_generative_ai::render(self, model),
        }
    }
}

/// The proof of reasoning that only the model with that id accepts.
pub(crate) fn proof(model: &str) -> String {
    format!("proof-of-{model}")
}
