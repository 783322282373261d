use std::fmt;

/// Names of one kind that are shown.
const MAX_SHOWN: usize = 10;

/// A part of a plugin that is not run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRun {
    pub kind: NotRunKind,
    /// Their names; empty if the plugin has the part without any.
    pub names: Vec<String>,
}

/// The kind of a part that is not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRunKind {
    Agents,
    Apps,
    Bin,
    Channels,
    Dependencies,
    /// Of the file of hooks: a sentence each.
    Hooks,
    HooksOfSkills,
    LanguageServers,
    /// The transport that the protocol has given up.
    McpServersBySse,
    Monitors,
    OutputStyles,
    Settings,
    Themes,
    UserConfig,
    /// Commands that are for the model alone.
    ModelOnlyCommands,
    Workflows,
}

impl NotRunKind {
    /// The part for people, and what they can do, or why not.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Agents => ("agents", "agents are defined in config.toml"),
            Self::Apps => ("apps", "they are connections of another product"),
            Self::Bin => ("bin/", "nothing is added to the PATH of commands"),
            Self::Channels => ("channels", "they come later"),
            Self::Dependencies => ("dependencies", "add those plugins yourself"),
            Self::Hooks => ("hooks", "see each"),
            Self::HooksOfSkills => ("hooks of skills", "put them into hooks/hooks.json"),
            Self::LanguageServers => ("language servers", "they are not used"),
            Self::McpServersBySse => ("MCP servers by `sse`", "MCP has given that transport up"),
            Self::Monitors => ("monitors", "they are not used"),
            Self::OutputStyles => ("output styles", "write a skill, or AGENTS.md"),
            Self::Settings => ("settings", "they are in config.toml"),
            Self::Themes => ("themes", "they are not used"),
            Self::UserConfig => ("userConfig", "values are not asked for"),
            Self::ModelOnlyCommands => (
                "commands with `user-invocable: false`",
                "the model calls no commands",
            ),
            Self::Workflows => ("workflows", "they come later"),
        }
    }
}

impl NotRun {
    pub(super) const fn new(kind: NotRunKind, names: Vec<String>) -> Self {
        Self { kind, names }
    }
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, why) = self.kind.texts();
        f.write_str(part)?;
        if !self.names.is_empty() {
            let shown = self.names.iter().take(MAX_SHOWN);
            let shown: Vec<&str> = shown.map(String::as_str).collect();
            write!(f, " ({}", shown.join(", "))?;
            if let more @ 1.. = self.names.len().saturating_sub(MAX_SHOWN) {
                write!(f, " and {more} more")?;
            }
            f.write_str(")")?;
        }
        write!(f, ": not run; {why}")
    }
}
