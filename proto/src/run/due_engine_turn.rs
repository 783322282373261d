use serde::{Deserialize, Serialize};

use super::RunPhase;
use crate::{EventId, RequestProof, StopReason, TurnId};

/// A model call of a run that has its answer and not yet its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DueEngineTurn {
    /// The turn that made it.
    pub turn_id: TurnId,
    /// Its place in that turn, from 0.
    pub turn_index: u32,
    /// The run's phase then.
    pub phase: RunPhase,
    /// The current node then.
    pub node_id: String,
    /// The event that the request ended with.
    pub leaf_id: Option<EventId>,
    /// The proof of its request.
    pub request: RequestProof,
    /// Why the model stopped.
    pub stop_reason: StopReason,
}
