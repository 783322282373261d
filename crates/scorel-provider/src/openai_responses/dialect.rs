use ThinkingLevel::{High, Low, Medium};
use scorel_proto::ThinkingLevel;

use crate::ThinkingLevels;
use crate::wire::{self, find_host};

pub(super) type ResponsesEndpoint = wire::ModelEndpoint<ResponsesDialect>;

/// The parameters that one host of the Responses API accepts and requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResponsesDialect {
    /// The levels that `reasoning.effort` takes, of models of which nothing else is known.
    pub(crate) levels: ThinkingLevels,
    /// True if a summary of the reasoning is requested; without it OpenAI shows nothing.
    pub(super) summary: bool,
    /// True if encrypted reasoning is requested. With `store: false` nothing else can go back.
    pub(super) encrypted: bool,
    /// Prefixes of models that do not reason and reject the parameters for it.
    pub(super) plain_models: &'static [&'static str],
    /// True if the ids of items of earlier replies are sent back; calls without one get one, since some
    /// compatible hosts require it. Else they are left out: with `store: false` OpenAI has nothing under them,
    /// and rejects an id without the items that were around it.
    pub(super) sends_ids: bool,
    /// True if `prompt_cache_key` is sent, which routes the requests of one conversation to the server that has
    /// its cache.
    pub(super) cache_key: bool,
    /// True if the API is below `/v1`.
    pub(super) versioned: bool,
}

impl ResponsesDialect {
    /// The parameters that unknown compatible endpoints are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self {
        levels: ThinkingLevels::of(&[Low, Medium, High]),
        summary: false,
        encrypted: true,
        plain_models: &[],
        sends_ids: true,
        cache_key: false,
        versioned: true,
    };
    pub(crate) const OPENAI: Self = Self {
        cache_key: true,
        ..Self::AZURE
    };
    const AZURE: Self = Self {
        levels: ThinkingLevels::of(&[Low, Medium, High]),
        summary: true,
        plain_models: &["gpt-3.5", "gpt-4", "gpt-5-chat", "chatgpt"],
        sends_ids: false,
        ..Self::COMPATIBLE
    };
    const COPILOT: Self = Self {
        versioned: false,
        ..Self::AZURE
    };
    const DEEPSEEK: Self = Self {
        levels: ThinkingLevels::of(&[Low, High]),
        encrypted: false,
        versioned: false,
        ..Self::COMPATIBLE
    };
    const XAI: Self = Self {
        levels: ThinkingLevels::of(&[Low, High]),
        ..Self::COMPATIBLE
    };

    pub(crate) fn of_host(host: Option<&str>) -> Self {
        let found = host.and_then(|host| find_host(HOSTS, host));
        found.unwrap_or(Self::COMPATIBLE)
    }
}

const HOSTS: &[(&str, ResponsesDialect)] = &[
    ("api.openai.com", ResponsesDialect::OPENAI),
    (".openai.azure.com", ResponsesDialect::AZURE),
    (".services.ai.azure.com", ResponsesDialect::AZURE),
    (".cognitiveservices.azure.com", ResponsesDialect::AZURE),
    ("api.githubcopilot.com", ResponsesDialect::COPILOT),
    (".githubcopilot.com", ResponsesDialect::COPILOT),
    ("api.deepseek.com", ResponsesDialect::DEEPSEEK),
    ("api.x.ai", ResponsesDialect::XAI),
];

#[cfg(test)]
mod tests {
    use super::ResponsesDialect;

    #[test]
    fn known_hosts_have_dialects_and_others_are_compatible() {
        for (host, dialect) in [
            ("api.openai.com", ResponsesDialect::OPENAI),
            ("x.openai.azure.com", ResponsesDialect::AZURE),
            ("api.business.githubcopilot.com", ResponsesDialect::COPILOT),
            ("evil-api.openai.com.example", ResponsesDialect::COMPATIBLE),
            ("myapi.x.ai", ResponsesDialect::COMPATIBLE),
        ] {
            assert_eq!(ResponsesDialect::of_host(Some(host)), dialect, "{host}");
        }
        assert_eq!(
            ResponsesDialect::of_host(None),
            ResponsesDialect::COMPATIBLE
        );
    }
}
