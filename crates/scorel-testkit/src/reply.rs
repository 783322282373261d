//! A model's reply, independent of the API that will carry it.

mod anthropic_messages;
mod google_generative_ai;
mod model_reply;
mod openai_completions;
mod openai_responses;

pub use model_reply::ModelReply;
pub(crate) use model_reply::proof;

use crate::{ScriptedResponse, WireApi};

impl ModelReply {
    /// Renders the reply as the model `model` would send it.
    pub fn render(&self, api: WireApi, model: &str) -> ScriptedResponse {
        // With the number of writes from the stop reason on.
        let (answer, end) = match api {
            WireApi::OpenAiCompletions => (openai_completions::render(self), 3),
            WireApi::OpenAiResponses => (openai_responses::render(self, model), 1),
            WireApi::AnthropicMessages => (anthropic_messages::render(self, model), 2),
            WireApi::GoogleGenerativeAi => (google_generative_ai::render(self, model), 1),
        };
        let answer = match &self.stall {
            Some(gate) => answer.wait_before_last(end, gate),
            None => answer,
        };
        let answer = match &self.hold {
            Some(gate) => answer.hold(gate),
            None => answer,
        };
        if self.cut_off {
            answer.without_last(end).cut()
        } else {
            answer
        }
    }
}
