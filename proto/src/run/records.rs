use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RunPhase, RunReason};
use crate::{RunId, RunMode};

/// The kind of the `custom` event with [`RunStartedData`].
pub const RUN_STARTED_KIND: &str = "workflow.started";

/// The kind of the `custom` event with [`RunStateData`].
pub const RUN_STATE_KIND: &str = "workflow.state";

/// The kind of the `custom` event with [`RunPhaseData`].
pub const RUN_PHASE_KIND: &str = "workflow.phase";

/// The kind of the `custom` event with [`RunModeData`].
pub const RUN_MODE_KIND: &str = "workflow.mode";

/// The kind of the `custom_message` that tells the model of a node.
pub const NODE_BRIEF_KIND: &str = "workflow.node_brief";

/// The package of a run, as it was when the run was bound to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunPackage {
    /// Its id: the name of its directory.
    pub id: String,
    /// Its version, as its author wrote it.
    pub version: String,
    /// The digest of the copy that the run uses.
    pub digest: String,
}

/// Data of `workflow.started`: the session belongs to a run from here on.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStartedData {
    /// The run.
    pub run_id: RunId,
    /// Its package.
    pub package: RunPackage,
    /// The workflow: the package's id, or `ID/WORKFLOW`.
    pub workflow: String,
    /// True if it goes on by itself.
    #[serde(default)]
    pub autopilot: bool,
    /// The session that had the run before; absent in the first one.
    pub resumed_from: Option<crate::SessionId>,
    /// The use of the run in earlier sessions.
    #[serde(default)]
    pub spent: RunSpent,
}

/// The use of a run, with that of the agents that it has given tasks, and of their agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSpent {
    /// The tokens of the model calls.
    pub tokens: u64,
    /// Their cost, in millionths of a US dollar.
    pub micro_usd: u64,
    /// The number of tasks that were given.
    #[serde(default)]
    pub spawns: u64,
}

impl RunSpent {
    /// The use of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
            spawns: self.spawns.saturating_add(other.spawns),
        }
    }
}

/// Data of `workflow.state`: the document was found in another state.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStateData {
    /// The SHA-256 of the document's bytes.
    pub sha256: String,
    /// The current node; empty before the first one.
    pub current_node_id: String,
    /// The node before, if it was another.
    pub from: Option<String>,
    /// The label of the way that was taken.
    pub label: Option<String>,
    /// True if an end node is completed.
    #[serde(default)]
    pub completed: bool,
    /// The cause of the change.
    pub cause: RunStateCause,
    /// The call that changed it, if one did.
    pub tool_call_id: Option<String>,
}

/// The cause of a change of a run's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStateCause {
    /// The run began.
    Started,
    /// A call of the model.
    Patch,
    /// A command: variables, another node, or autopilot.
    Command,
    /// Something else, such as a person with an editor.
    External,
    /// A call whose result was lost with an earlier daemon.
    Recovered,
    /// The run was bound to another package.
    Rebound,
    /// The last good state was brought back.
    Repaired,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// Data of `workflow.phase`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPhaseData {
    /// The phase before.
    pub from: RunPhase,
    /// The phase now.
    pub to: RunPhase,
    /// Why.
    pub reason: RunReason,
}

/// Data of `workflow.mode`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunModeData {
    /// The purpose of further messages.
    pub mode: RunMode,
}
