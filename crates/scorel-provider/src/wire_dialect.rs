use crate::anthropic_messages::{self, AnthropicMessages};
use crate::dialect::Dialect;
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::openai_completions::OpenAiCompletions;
use crate::openai_responses::{self, OpenAiResponses};
use crate::wire::Wire;

/// A wire, and the ways of one host on it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WireDialect {
    OpenAiCompletions(Dialect),
    OpenAiResponses(openai_responses::Dialect),
    GoogleGenerativeAi,
    AnthropicMessages(anthropic_messages::Dialect),
}

impl WireDialect {
    /// One for each wire: what an endpoint that nothing is known about is assumed to accept.
    pub(crate) const COMPATIBLE: [Self; 4] = [
        Self::OpenAiCompletions(Dialect::COMPATIBLE),
        Self::OpenAiResponses(openai_responses::Dialect::COMPATIBLE),
        Self::GoogleGenerativeAi,
        Self::AnthropicMessages(anthropic_messages::Dialect::COMPATIBLE),
    ];

    /// The same wire with what is known about a host's ways on it.
    pub(crate) fn at_host(self, host: Option<&str>) -> Self {
        match self {
            Self::OpenAiResponses(_) => {
                Self::OpenAiResponses(openai_responses::Dialect::of_host(host))
            }
            other => other,
        }
    }

    /// The wire's name.
    pub(crate) const fn api(self) -> &'static str {
        match self {
            Self::OpenAiCompletions(_) => OpenAiCompletions::API,
            Self::OpenAiResponses(_) => OpenAiResponses::API,
            Self::GoogleGenerativeAi => GoogleGenerativeAi::API,
            Self::AnthropicMessages(_) => AnthropicMessages::API,
        }
    }
}
