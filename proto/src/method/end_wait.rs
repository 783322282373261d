use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, SessionId, TurnId};

/// Parameters of `endWait`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndWaitParams {
    /// The session's id.
    pub session_id: SessionId,
    /// The turn that waits. For another turn, or one that does not wait, the call fails with
    /// `conflict`.
    pub expected_turn_id: TurnId,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}
