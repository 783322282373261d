//! The APIs that endpoints of models speak.

/// A provider API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireApi {
    OpenAiCompletions,
    OpenAiResponses,
    AnthropicMessages,
    GoogleGenerativeAi,
}

impl WireApi {
    pub const ALL: [Self; 4] = [
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::GoogleGenerativeAi,
    ];

    /// The name in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
        }
    }

    /// The API that posts to a path.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let endpoint = path.split('?').next().unwrap_or_default();
        if endpoint.ends_with("/chat/completions") {
            Some(Self::OpenAiCompletions)
        } else if endpoint.ends_with("/responses") {
            Some(Self::OpenAiResponses)
        } else if endpoint.ends_with("/v1/messages") {
            Some(Self::AnthropicMessages)
        } else if endpoint.ends_with(":streamGenerateContent") && path.contains("alt=sse") {
            Some(Self::GoogleGenerativeAi)
        } else {
            None
        }
    }
}
