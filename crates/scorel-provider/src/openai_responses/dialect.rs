use ThinkingLevel::{High, Low, Medium, Minimal, None as Off};
use scorel_proto::ThinkingLevel;

/// The ways of one host on the Responses wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The levels of `reasoning.effort`, from least to most.
    pub(super) levels: &'static [ThinkingLevel],
    /// Whether a summary of the reasoning is asked for.
    pub(super) summary: bool,
    /// Whether encrypted reasoning is asked for, to be sent back.
    pub(super) encrypted: bool,
    /// The beginnings of the names of models that do not reason: they refuse what is about it.
    pub(super) plain_models: &'static [&'static str],
    /// What happens to the ids of the items of earlier answers.
    pub(super) ids: ItemIds,
    /// Whether requests name the conversation, so that they meet the same cache.
    pub(super) cache_key: bool,
    /// Whether the wire's paths stand under `/v1`.
    pub(super) versioned: bool,
}

/// What happens to the ids of the items of earlier answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemIds {
    /// They stay out: nothing is kept under them, and an id without the items that were around it,
    /// or one that a proxy made up, is refused.
    Omitted,
    /// They go back; calls that have none get one, as some hosts want it.
    Sent,
}

impl Dialect {
    /// What endpoints that call themselves compatible are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self {
        levels: &[Low, Medium, High],
        summary: false,
        encrypted: true,
        plain_models: &[],
        ids: ItemIds::Sent,
        cache_key: false,
        versioned: true,
    };
    pub(crate) const OPENAI: Self = Self {
        levels: &[Off, Minimal, Low, Medium, High],
        cache_key: true,
        ..Self::AZURE
    };
    const AZURE: Self = Self {
        levels: &[Low, Medium, High],
        summary: true,
        plain_models: &["gpt-3.5", "gpt-4", "gpt-5-chat", "chatgpt"],
        ids: ItemIds::Omitted,
        ..Self::COMPATIBLE
    };
    const COPILOT: Self = Self {
        versioned: false,
        ..Self::AZURE
    };
    const DEEPSEEK: Self = Self {
        levels: &[Low, High],
        encrypted: false,
        versioned: false,
        ..Self::COMPATIBLE
    };
    const XAI: Self = Self {
        levels: &[Low, High],
        ..Self::COMPATIBLE
    };

    /// The same with the levels of one model, where they are known.
    pub(crate) fn with_levels(self, levels: Option<&'static [ThinkingLevel]>) -> Self {
        Self {
            levels: levels.unwrap_or(self.levels),
            ..self
        }
    }

    /// The ways of a host, as far as they are known.
    pub(crate) fn of_host(host: Option<&str>) -> Self {
        let host = host.unwrap_or_default();
        let named = |end: &str| host == end || end.starts_with('.') && host.ends_with(end);
        let mut found = HOSTS.iter().filter(|(end, _)| named(end));
        found
            .next()
            .map_or(Self::COMPATIBLE, |(_, dialect)| *dialect)
    }
}

/// The ends of hosts' names, and their ways.
const HOSTS: &[(&str, Dialect)] = &[
    ("api.openai.com", Dialect::OPENAI),
    (".openai.azure.com", Dialect::AZURE),
    (".services.ai.azure.com", Dialect::AZURE),
    (".cognitiveservices.azure.com", Dialect::AZURE),
    ("api.githubcopilot.com", Dialect::COPILOT),
    (".githubcopilot.com", Dialect::COPILOT),
    ("api.deepseek.com", Dialect::DEEPSEEK),
    ("api.x.ai", Dialect::XAI),
];

#[cfg(test)]
mod tests {
    use super::Dialect;

    #[test]
    fn hosts_have_their_ways_and_others_are_compatible() {
        for (host, dialect) in [
            ("api.openai.com", Dialect::OPENAI),
            ("x.openai.azure.com", Dialect::AZURE),
            ("api.business.githubcopilot.com", Dialect::COPILOT),
            ("evil-api.openai.com.example", Dialect::COMPATIBLE),
            ("myapi.x.ai", Dialect::COMPATIBLE),
        ] {
            assert_eq!(Dialect::of_host(Some(host)), dialect, "{host}");
        }
        assert_eq!(Dialect::of_host(None), Dialect::COMPATIBLE);
    }
}
