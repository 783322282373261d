//! The runners that are known by name.

use crate::wire_kind::WireKind;

/// A runner that needs no configuration, but for its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinRunner {
    pub name: &'static str,
    /// For people.
    pub label: &'static str,
    pub wire: WireKind,
    pub command: &'static [&'static str],
    /// The model endpoint; `None` is the program's own.
    pub base_url: Option<&'static str>,
    /// The variable that holds the token for that endpoint; `None` is the program's own account.
    pub token_env: Option<&'static str>,
    /// The oldest version that was tried.
    pub min_version: Option<&'static str>,
    /// How to install it.
    pub install: &'static str,
    /// How to log in; `None` if it has no account of its own.
    pub login: Option<&'static str>,
}

const CLAUDE_INSTALL: &str = "npm install -g @anthropic-ai/claude-code";

const CLAUDE: BuiltinRunner = BuiltinRunner {
    name: "claude-code",
    label: "Claude Code",
    wire: WireKind::ClaudeCode,
    command: &["claude"],
    base_url: None,
    token_env: None,
    min_version: Some("2.1.197"),
    install: CLAUDE_INSTALL,
    login: Some("claude /login"),
};

/// The base URLs are those that the vendors document for Claude Code.
const BUILTINS: &[BuiltinRunner] = &[
    BuiltinRunner {
        name: "codex",
        label: "Codex",
        wire: WireKind::Codex,
        command: &["codex"],
        base_url: None,
        token_env: None,
        min_version: Some("0.169.0"),
        install: "npm install -g @openai/codex",
        login: Some("codex login"),
    },
    CLAUDE,
    BuiltinRunner {
        name: "claude-code-glm",
        label: "Claude Code with GLM",
        base_url: Some("https://api.z.ai/api/anthropic"),
        token_env: Some("ZAI_API_KEY"),
        login: None,
        ..CLAUDE
    },
    BuiltinRunner {
        name: "claude-code-kimi",
        label: "Claude Code with Kimi",
        base_url: Some("https://api.moonshot.ai/anthropic"),
        token_env: Some("MOONSHOT_API_KEY"),
        login: None,
        ..CLAUDE
    },
    BuiltinRunner {
        name: "claude-code-minimax",
        label: "Claude Code with MiniMax",
        base_url: Some("https://api.minimax.io/anthropic"),
        token_env: Some("MINIMAX_API_KEY"),
        login: None,
        ..CLAUDE
    },
    BuiltinRunner {
        name: "kimi-cli",
        label: "Kimi CLI",
        wire: WireKind::Acp,
        command: &["kimi", "acp"],
        base_url: None,
        token_env: None,
        min_version: None,
        install: "npm install -g @moonshot-ai/kimi-code",
        login: Some("kimi login"),
    },
];

/// All of them, in the order in which they are listed.
pub const fn builtins() -> &'static [BuiltinRunner] {
    BUILTINS
}

/// The one with this name.
pub fn builtin(name: &str) -> Option<&'static BuiltinRunner> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_a_url_comes_with_its_token() {
        for builtin in BUILTINS {
            let same = BUILTINS.iter().filter(|it| it.name == builtin.name);
            assert_eq!(same.count(), 1, "{}", builtin.name);
            assert_eq!(builtin.base_url.is_some(), builtin.token_env.is_some());
        }
        assert_eq!(
            builtin("claude-code").map(|it| it.command),
            Some(["claude"].as_slice())
        );
        assert_eq!(builtin("nope"), None);
    }
}
