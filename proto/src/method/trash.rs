use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, SessionId};

/// The deletion of a session that can be brought back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionDeletion {
    /// When it was deleted, in milliseconds since 1970.
    pub at: u64,
    /// Until when it can be brought back, in milliseconds since 1970.
    pub until: u64,
}

/// Parameters of `undeleteSession`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndeleteSessionParams {
    /// The session's id.
    pub session_id: SessionId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `undeleteSession`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndeleteSessionResult {
    /// The session that is back.
    pub session_id: SessionId,
}
