use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an agent was not given a task: `details.kind` of `spawn_refused`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpawnRefusal {
    /// The agent is disabled.
    Disabled,
    /// The session is itself too far below the first one.
    Depth,
    /// The session has as many unfinished runtimes, or the turn has spawned as many, as is allowed.
    TooMany,
    /// As many runtimes wait for the agent as is allowed.
    QueueFull,
    /// The session and its runtimes have cost as much as is allowed.
    Budget,
    /// The session is archived.
    Archived,
}

impl SpawnRefusal {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Depth => "depth",
            Self::TooMany => "too_many",
            Self::QueueFull => "queue_full",
            Self::Budget => "budget",
            Self::Archived => "archived",
        }
    }
}

impl fmt::Display for SpawnRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
