//! Permission modes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The default where no rule matches, from the one that allows the least to the one that allows the most.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Allows reading in the project; denies all writing.
    Readonly,
    /// Allows reading and writing in the project, and commands that only read.
    Ask,
    /// Allows reading and writing in the project, and what a sandboxed command can do there. Only
    /// for commands that do run in a sandbox; without one, [`Mode::Ask`] is the mode to judge by.
    #[default]
    Workspace,
    /// Allows what no rule denies or asks about.
    Full,
}

impl Mode {
    const ALL: [Self; 4] = [Self::Readonly, Self::Ask, Self::Workspace, Self::Full];

    /// The mode's name in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Readonly => "readonly",
            Self::Ask => "ask",
            Self::Workspace => "workspace",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not the name of a mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode `{0}`: expected readonly, ask, workspace or full")]
pub struct UnknownMode(pub String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.as_str() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}
