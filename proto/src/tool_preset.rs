use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which tools a session's model is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolPreset {
    /// Those of a coding agent: files, search, commands, and its list of things to do.
    #[default]
    Coding,
    /// Those that change nothing.
    Readonly,
    /// All that there are, those that reach the web among them.
    All,
    /// None.
    None,
}

impl ToolPreset {
    /// Every preset, in the order in which they are documented.
    pub const ALL: [Self; 4] = [Self::Coding, Self::Readonly, Self::All, Self::None];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Readonly => "readonly",
            Self::All => "all",
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
        found.ok_or_else(|| format!("`{name}` is not one of coding, readonly, all, none"))
    }
}
