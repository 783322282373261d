use crate::ThinkingLevels;
use crate::anthropic_messages::{AnthropicDialect, AnthropicMessages, ClaudeThinking};
use crate::google_generative_ai::{GeminiFamily, GoogleGenerativeAi};
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

    /// The thinking levels of a model of which nothing else is known.
    pub(crate) fn levels(self, model: &str) -> ThinkingLevels {
        match self {
            Self::OpenAiCompletions(dialect) => dialect.levels,
            Self::OpenAiResponses(dialect) => dialect.levels,
            Self::GoogleGenerativeAi => GeminiFamily::of(model).least_levels(),
            Self::AnthropicMessages(_) => ClaudeThinking::of(model).levels(),
        }
    }

    /// Returns whether requests must state an output limit.
    pub(crate) const fn requires_output_limit(self) -> bool {
        matches!(self, Self::AnthropicMessages(_))
    }

    /// Returns whether requests state an output limit that the user did not set.
    pub(crate) const fn states_known_limit(self) -> bool {
        match self {
            Self::OpenAiCompletions(dialect) => dialect.states_known_limit,
            _ => true,
        }
    }
}
