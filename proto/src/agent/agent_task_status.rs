use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The status of a runtime.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentTaskStatus {
    /// It waits until its agent may run one more.
    #[default]
    Queued,
    /// Its session works.
    Running,
    /// Its session waits for a person: for the answer to a question, or with a paused queue.
    WaitingInput,
    /// It ended: its last turn completed.
    Completed,
    /// It ended: its last turn failed or reached a limit.
    Failed,
    /// It ended: it was stopped, its last turn was cancelled or interrupted, or it never ran.
    Interrupted,
}

impl AgentTaskStatus {
    /// All values, in the order of the reference.
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Running,
        Self::WaitingInput,
        Self::Completed,
        Self::Failed,
        Self::Interrupted,
    ];

    /// Whether it has ended. It never gets another status then.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Interrupted)
    }

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::WaitingInput => "waiting_input",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for AgentTaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AgentTaskStatus {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|status| status.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("`{name}` is not one of {names}")
        })
    }
}
