use crate::anthropic_messages::{AnthropicDialect, AnthropicMessages};
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::openai_completions::{ChatDialect, OpenAiCompletions};
use crate::openai_responses::{OpenAiResponses, ResponsesDialect};
use crate::wire::Wire;

/// A wire with the dialect of one host.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WireDialect {
    OpenAiCompletions(ChatDialect),
    OpenAiResponses(ResponsesDialect),
    GoogleGenerativeAi,
    AnthropicMessages(AnthropicDialect),
}

impl WireDialect {
    /// One entry per wire, each with what an unknown host is assumed to accept.
    pub(crate) const COMPATIBLE: [Self; 4] = [
        Self::OpenAiCompletions(ChatDialect::COMPATIBLE),
        Self::OpenAiResponses(ResponsesDialect::COMPATIBLE),
        Self::GoogleGenerativeAi,
        Self::AnthropicMessages(AnthropicDialect::COMPATIBLE),
    ];

    /// The same wire with the dialect of `host`. Only the Responses API has a table of hosts of its
    /// own; chat completions are looked up in the built-in table before.
    pub(crate) fn at_host(self, host: Option<&str>) -> Self {
        match self {
            Self::OpenAiResponses(_) => Self::OpenAiResponses(ResponsesDialect::of_host(host)),
            other => other,
        }
    }

    /// The wire's name in the configuration.
    pub(crate) const fn api(self) -> &'static str {
        match self {
            Self::OpenAiCompletions(_) => OpenAiCompletions::API,
            Self::OpenAiResponses(_) => OpenAiResponses::API,
            Self::GoogleGenerativeAi => GoogleGenerativeAi::API,
            Self::AnthropicMessages(_) => AnthropicMessages::API,
        }
    }
}
