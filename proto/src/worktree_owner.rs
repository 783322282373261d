use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::invalid_text::InvalidText;
use crate::{AgentTaskId, RunId};

/// The task or the run that a git worktree was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WorktreeOwner {
    /// A task of an agent.
    RuntimeId(AgentTaskId),
    /// A run of a workflow.
    RunId(RunId),
}

impl WorktreeOwner {
    /// The task, if it is one.
    pub const fn task(self) -> Option<AgentTaskId> {
        match self {
            Self::RuntimeId(id) => Some(id),
            Self::RunId(_) => None,
        }
    }

    /// The run, if it is one.
    pub const fn run(self) -> Option<RunId> {
        match self {
            Self::RuntimeId(_) => None,
            Self::RunId(id) => Some(id),
        }
    }
}

impl fmt::Display for WorktreeOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RuntimeId(id) => id.fmt(f),
            Self::RunId(id) => id.fmt(f),
        }
    }
}

impl FromStr for WorktreeOwner {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        match text.parse() {
            Ok(id) => Ok(Self::RunId(id)),
            Err(_) => text.parse().map(Self::RuntimeId),
        }
    }
}
