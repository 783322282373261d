//! Events of permission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PermissionRequestId;

/// The body of `permission_request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// When the default decision is taken, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
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
