//! Permission requests and their decisions.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ClientId, PermissionRequestId};

/// Body of `permission_request`, and an element of `inFlight.permissions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequestBody {
    /// The request's id, which `respondPermission` takes.
    pub request_id: PermissionRequestId,
    /// The tool call that waits for the decision.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The call's arguments, exactly as the tool would execute them.
    pub input: Value,
    /// The hooks that changed the arguments, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_by: Vec<String>,
    /// Why permission is required, for people.
    pub reason: String,
    /// The part of the reason that hooks gave. If present, they want the call asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_reason: Option<String>,
    /// The rules that the decisions `session` and `always` add to the allowed ones. Empty if the
    /// call must be asked about every time; those decisions are then not possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// True if `rules` may hold for the session only; the decision `always` is then not possible.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub session_only: bool,
    /// When the request expires, in milliseconds since 1970. Absent: it does not expire.
    pub deadline: Option<u64>,
    /// The decision that takes effect at `deadline`.
    pub at_deadline: Option<PermissionDecision>,
}

/// Body of `permission_decision`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionDecisionBody {
    /// The request that was decided.
    pub request_id: PermissionRequestId,
    /// The decision.
    pub decision: PermissionDecision,
    /// The reason, as given by the client, or by the daemon for its own decisions.
    pub reason: Option<String>,
    /// The hook that decided, before a person was asked.
    pub by: Option<String>,
}

/// The decision about a permission request, with who made it and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionAnswer {
    /// The decision.
    #[serde(flatten)]
    pub decision: PermissionDecisionBody,
    /// The client that decided; `daemon` at a deadline, and for `cancelled`.
    pub client_id: ClientId,
    /// When, in milliseconds since 1970.
    pub decided_at: u64,
}

impl fmt::Display for PermissionAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.decision.decision.text();
        if let Some(hook) = &self.decision.by {
            return write!(f, "{text} by the hook {hook}");
        }
        match self.client_id {
            ClientId::Daemon => write!(f, "{text} by the daemon"),
            client => write!(f, "{text} by {client}"),
        }
    }
}

/// The decision about a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    /// Allow this call.
    Once,
    /// Allow this call, and similar ones for the rest of the session.
    Session,
    /// Allow this call, and similar ones in this project from now on.
    Always,
    /// Refuse this call.
    Deny,
    /// The turn ended first. Only the daemon decides this.
    Cancelled,
}

impl PermissionDecision {
    /// Returns whether the decision allows the call.
    pub const fn allows(self) -> bool {
        matches!(self, Self::Once | Self::Session | Self::Always)
    }

    /// The decision in words, for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Once => "allowed once",
            Self::Session => "allowed for the session",
            Self::Always => "allowed always",
            Self::Deny => "denied",
            Self::Cancelled => "cancelled",
        }
    }
}
