use scorel_proto::{BlobHash, Cost, EventId, RunPhase, SessionId, StopReason, TurnId, Usage};
use serde::Serialize;
use serde_json::Value;

use super::difference::Difference;
use super::tool_run::AuditToolRun;

/// One model call of a run, with its request, its answer and its tools.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditLine {
    /// Its name in the session's log. A call whose record is missing has none.
    pub id: Option<String>,
    pub session_id: SessionId,
    pub turn_id: Option<TurnId>,
    /// The record with the answer.
    pub event_id: EventId,
    /// Its place in its turn, from 0.
    pub turn_index: Option<u32>,
    /// The node at which it was made.
    pub node_id: Option<String>,
    pub phase_before: Option<RunPhase>,
    pub request: AuditRequest,
    pub response: AuditResponse,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_runs: Vec<AuditToolRun>,
    /// The state that clients saw after it.
    pub ui_after: Option<AuditUi>,
    pub proof: AuditProof,
}

/// A request in the form of OpenAI's chat completions. The messages of a run's turn keep their parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditRequest {
    pub messages: Vec<Value>,
    pub tools: Vec<Value>,
}

/// A model's answer.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditResponse {
    pub assistant: Value,
    pub model: String,
    pub stop_reason: StopReason,
    /// The answer was cut off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    pub usage: Option<Usage>,
    pub cost: Option<Cost>,
    /// The parts of the raw response that later requests need.
    pub provider: Option<Value>,
}

/// The state that clients saw after a call that ended its turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditUi {
    pub phase: RunPhase,
    pub stop_reason: StopReason,
}

/// A comparison of the request that was built again with the one that was made.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditProof {
    /// True if they are the same.
    pub matches: bool,
    /// The hash in the record of the answer.
    pub recorded_sha256: Option<String>,
    /// The hash of what the log says.
    pub rebuilt_sha256: Option<String>,
    pub tool_set_digest: Option<BlobHash>,
    /// The places in which they may differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}
