//! Events of permission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PermissionRequestId;

/// The body of `permission_request`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequestBody {
    /// The request's id.
    pub request_id: PermissionRequestId,
    /// The call that waits.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// Exactly what would be done.
    pub input: Value,
    /// Why it must be asked.
    pub reason: String,
    /// The rules that `session` and `always` would add to those that allow; without any, the two
    /// are not possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Until when somebody may decide, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// What is decided at the deadline if nobody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_deadline: Option<PermissionDecision>,
}

/// The body of `permission_decision`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionDecisionBody {
    /// The request.
    pub request_id: PermissionRequestId,
    /// The answer.
    pub decision: PermissionDecision,
    /// Why, in the words of the one who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An answer to a request for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    /// Allowed this time.
    Once,
    /// Allowed for the rest of the session.
    Session,
    /// Allowed in this project from now on.
    Always,
    /// Refused.
    Deny,
    /// Nobody decided before the turn ended.
    Cancelled,
}

impl PermissionDecision {
    /// Whether the call may run.
    #[must_use]
    pub const fn allows(self) -> bool {
        matches!(self, Self::Once | Self::Session | Self::Always)
    }
}
