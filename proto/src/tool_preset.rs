use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The set of tools that a session's model is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolPreset {
    /// The tools of a coding agent: files, search, commands and a to-do list.
    #[default]
    Coding,
    /// Only tools that change nothing.
    Readonly,
    /// All tools, including those that access the web.
    All,
    /// The tools that give tasks to agents, and those that change nothing.
    Orchestrator,
    /// No tools.
    None,
}

impl ToolPreset {
    /// All presets, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Coding,
        Self::Readonly,
        Self::All,
        Self::Orchestrator,
        Self::None,
    ];

    /// The name on the wire and in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Readonly => "readonly",
            Self::All => "all",
            Self::Orchestrator => "orchestrator",
            Self::None => "none",
        }
    }
}

impl fmt::Display for ToolPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ToolPreset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| {
            format!("`{name}` is not one of coding, readonly, all, orchestrator, none")
        })
    }
}
