//! Permission requests, for a client that may answer them.

use schemars::JsonSchema;
use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    CommandId, ListQuestions, ListQuestionsParams, OpenQuestion, PermissionDecision,
    PermissionRequestId, RespondPermission, RespondPermissionParams, SessionId,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::outcome::{Outcome, beginning_of};

pub(super) const LIST: &str = "Lists the permission requests that wait for an answer.";

pub(super) const ANSWER: &str = "\
Answers a permission request, for this one call. The first answer counts.";

/// Of a page.
const PAGE: u32 = 8;

/// Of the reason for a question, and of the arguments that it is about, in bytes of the result.
const MAX_TEXT: usize = 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct QuestionsArguments {
    /// Only those of this session and of its agents.
    session_id: Option<SessionId>,
    /// `nextCursor` of the page before.
    cursor: Option<PermissionRequestId>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AnswerArguments {
    /// The session that asks, as the request names it: that of an agent has one of its own.
    session_id: SessionId,
    /// The request.
    request_id: PermissionRequestId,
    /// The answer. What lasts longer than this call is for people.
    decision: Answer,
    /// Recorded; the model gets the reason of a `deny`.
    reason: Option<String>,
    /// Names the call, which takes effect once.
    command_id: Option<CommandId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Once,
    Deny,
}

pub(super) async fn list<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: QuestionsArguments,
) -> Outcome {
    let QuestionsArguments { session_id, cursor } = arguments;
    let (questions, next) = open_questions(daemon, session_id, cursor).await?;
    Ok(json!({"questions": questions, "nextCursor": next}).into())
}

/// The first open questions, and where the next page begins.
pub(super) async fn open_questions<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session_id: Option<SessionId>,
    cursor: Option<PermissionRequestId>,
) -> Result<(Vec<Value>, Option<PermissionRequestId>), Failure> {
    let params = ListQuestionsParams {
        session_id,
        limit: Some(PAGE),
        cursor,
    };
    let page = daemon.call::<ListQuestions>(&params).await?;
    let questions = page.questions.iter().map(described).collect();
    Ok((questions, page.next_cursor))
}

pub(super) async fn answer<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: AnswerArguments,
) -> Outcome {
    let decision = match arguments.decision {
        Answer::Once => PermissionDecision::Once,
        Answer::Deny => PermissionDecision::Deny,
    };
    let params = RespondPermissionParams {
        session_id: arguments.session_id,
        request_id: arguments.request_id,
        decision,
        reason: arguments.reason,
        command_id: Some(arguments.command_id.unwrap_or_else(new_command_id)),
    };
    daemon.call::<RespondPermission>(&params).await?;
    Ok(json!({"answered": decision}).into())
}

fn described(question: &OpenQuestion) -> Value {
    let request = &question.request;
    json!({
        "sessionId": question.session_id,
        "requestId": request.request_id,
        "tool": request.tool_name,
        "reason": beginning_of(&request.reason, MAX_TEXT),
        "input": beginning_of(&request.input.to_string(), MAX_TEXT),
        "agentType": question.agent_type,
    })
}
