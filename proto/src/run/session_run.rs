use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RunPhase, RunReason};
use crate::{RunId, RunMode};

/// The run of a session, as its records say.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRun {
    /// The run.
    pub run_id: RunId,
    /// Its workflow: the id of a package, or `ID/WORKFLOW`.
    pub workflow: String,
    /// Its phase.
    pub phase: RunPhase,
    /// Why it is in that phase.
    pub reason: RunReason,
    /// The current node; empty before the first one.
    pub node_id: String,
    /// The purpose of messages to the session.
    #[serde(default)]
    pub mode: RunMode,
}
