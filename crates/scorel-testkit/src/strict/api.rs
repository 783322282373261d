/// A wire between an engine and a model endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// Chat completions.
    OpenAiCompletions,
    /// Responses.
    OpenAiResponses,
    /// Messages.
    AnthropicMessages,
    /// `streamGenerateContent`.
    GoogleGenerativeAi,
}

impl Api {
    /// All wires.
    pub const ALL: [Self; 4] = [
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::GoogleGenerativeAi,
    ];

    /// The wire's name in configurations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
        }
    }

    /// The wire whose calls are posted there.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        let place = path.split('?').next().unwrap_or_default();
        if place.ends_with("/chat/completions") {
            Some(Self::OpenAiCompletions)
        } else if place.ends_with("/responses") {
            Some(Self::OpenAiResponses)
        } else if place.ends_with("/v1/messages") {
            Some(Self::AnthropicMessages)
        } else if place.ends_with(":streamGenerateContent") && path.contains("alt=sse") {
            Some(Self::GoogleGenerativeAi)
        } else {
            None
        }
    }
}
