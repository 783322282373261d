/// The kind of plugin, which says where its parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginFormat {
    /// `.claude-plugin/plugin.json`.
    Claude,
    /// `.codex-plugin/plugin.json`.
    Codex,
    /// `plugin.json` with a `$schema` of agent-plugins.org.
    AgentPlugins,
}

impl PluginFormat {
    /// All formats, in the order in which they are looked for. The portable one is last: a plugin that has it beside
    /// another has hooks and commands that only the other names, and a guard among them must not be lost.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::AgentPlugins];

    /// The manifest, below the plugin's root.
    pub const fn manifest(self) -> &'static str {
        match self {
            Self::Claude => ".claude-plugin/plugin.json",
            Self::Codex => ".codex-plugin/plugin.json",
            Self::AgentPlugins => "plugin.json",
        }
    }

    /// The format for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::AgentPlugins => "Agent Plugins",
        }
    }
}
