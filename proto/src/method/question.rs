use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PermissionAnswer, PermissionRequestBody, PermissionRequestId, ProjectId, SessionId};

/// Parameters of `listQuestions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListQuestionsParams {
    /// Only those of this session and of the agents that it has given tasks.
    pub session_id: Option<SessionId>,
    /// The most to return, 1 to 200; absent: 50. A page is shorter if the inputs are large.
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page.
    pub cursor: Option<PermissionRequestId>,
}

/// Result of `listQuestions`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListQuestionsResult {
    /// The open questions, the oldest first.
    pub questions: Vec<OpenQuestion>,
    /// The `cursor` of the next page; absent on the last one.
    pub next_cursor: Option<PermissionRequestId>,
}

/// A permission request that waits for its answer, with the session that asks. `respondPermission` answers it
/// there.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    /// The session that asks.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// Its title; absent if it has none.
    pub title: Option<String>,
    /// The agent that works in it; absent if none does.
    pub agent_type: Option<String>,
    /// The session that has given the agent its task; absent without an agent.
    pub parent_session_id: Option<SessionId>,
    /// When it was asked, in milliseconds since 1970.
    pub asked_at: u64,
    /// The request.
    #[serde(flatten)]
    pub request: PermissionRequestBody,
}

/// The `details` of the `conflict` with which `respondPermission` fails for a request that is not open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PermissionConflict {
    /// It is decided.
    Answered {
        /// The recorded decision.
        answer: PermissionAnswer,
    },
    /// The session has not asked it, or its decision is older than the last 32 of the session.
    NotOpen,
}
