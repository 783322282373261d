//! How much is allowed where no rule speaks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much is allowed where no rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reading in the project; no writing at all.
    Readonly,
    /// Reading and writing in the project, and commands that only read.
    #[default]
    Workspace,
    /// Everything that no rule denies or asks about.
    Full,
}

impl Mode {
    /// The mode's name in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Readonly => "readonly",
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

/// No mode has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode `{0}`: expected readonly, workspace or full")]
pub struct UnknownMode(pub String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        [Self::Readonly, Self::Workspace, Self::Full]
            .into_iter()
            .find(|mode| mode.as_str() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}
