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
    cut_off: bool,
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

    /// Closes the connection in place of the end, so that nobody knows why the model stopped.
    #[must_use]
    pub const fn cut_off(mut self) -> Self {
        self.cut_off = true;
        self
    }

    /// The reply as the model with that id gives it over the wire.
    pub(crate) fn render(&self, api: Api, model: &str) -> Answer {
        // How many writes of the wire make the end of an answer.
        let (answer, end) = match api {
            Api::OpenAiCompletions => (openai_completions::render(self), 3),
            Api::OpenAiResponses => (openai_responses::render(self, model), 1),
            Api::AnthropicMessages => (anthropic_messages::render(self, model), 2),
            Api::GoogleGenerativeAi => (google_generative_ai::render(self, model), 1),
        };
        if self.cut_off {
            answer.without_last(end).cut()
        } else {
            answer
        }
    }
}

/// The proof of reasoning that only the model with that id accepts.
pub(crate) fn proof(model: &str) -> String {
    format!("proof-of-{model}")
}
