//! The protocols by name.

use scorel_engine::RunnerCapabilities;
use serde::Deserialize;

/// The protocol that a runner speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireKind {
    Codex,
    ClaudeCode,
    Acp,
    Command(CommandOutput),
}

/// What the output of a plain command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandOutput {
    /// The answer.
    Text,
    /// One event a line.
    Events,
}

impl WireKind {
    /// What runners of the wire can do; a single one may be able to do less.
    pub fn capabilities(self) -> RunnerCapabilities {
        let all = RunnerCapabilities::ALL;
        match self {
            Self::ClaudeCode => all,
            Self::Codex => RunnerCapabilities { cost: false, ..all },
            // What an agent can do beyond that, it says in its handshake.
            Self::Acp => RunnerCapabilities {
                steer: false,
                ..all
            },
            Self::Command(CommandOutput::Text) => RunnerCapabilities::default(),
            Self::Command(CommandOutput::Events) => RunnerCapabilities {
                resume: true,
                ..RunnerCapabilities::default()
            },
        }
    }
}
