use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DueEngineTurn, RunPhase};
use crate::{EventId, RequestProof, StopReason, TurnId};

/// The kind of the `custom` event with [`EngineTurnBody`].
pub const ENGINE_TURN_KIND: &str = "workflow.engine_turn";

/// Data of `workflow.engine_turn`: one model call of a run, with its tools. The request itself is not stored: it
/// is built again from the log, and its hash proves it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineTurnBody {
    /// Its name: `C01`, `C02` and so on, in the order of the session's log.
    pub id: String,
    /// The turn that made it.
    pub turn_id: TurnId,
    /// Its place in that turn, from 0.
    pub turn_index: u32,
    /// The phase in which it was made.
    pub phase_before: RunPhase,
    /// The node at which it was made, by the run's document; empty before the first one.
    pub node_id: String,
    /// The event that the request ended with; `null` for none.
    #[serialize_always]
    pub leaf_id: Option<EventId>,
    /// The proof of its request.
    #[serde(flatten)]
    pub request: RequestProof,
    /// The phase that it led to, if its turn ended with it.
    pub phase_after: Option<RunPhase>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
}

impl EngineTurnBody {
    /// The record of a call that comes after `before` others with records.
    pub fn of(due: &DueEngineTurn, before: u64, phase_after: Option<RunPhase>) -> Self {
        Self {
            id: format!("C{:02}", before.saturating_add(1)),
            turn_id: due.turn_id,
            turn_index: due.turn_index,
            phase_before: due.phase,
            node_id: due.node_id.clone(),
            leaf_id: due.leaf_id,
            request: due.request.clone(),
            phase_after,
            stop_reason: due.stop_reason,
        }
    }
}
