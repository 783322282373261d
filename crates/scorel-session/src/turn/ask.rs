//! Asking whether a tool call may run.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{
    PermissionDecision, PermissionDecisionBody, PermissionRequestBody, PermissionRequestId,
    PersistentBody, TurnId,
};
use scorel_runtime::{CANCELLED, Permission, Question, ToolCall};

use crate::SessionError;
use crate::clock::now_ms;
use crate::lane::{Draft, Lane, RunningTurn};

/// How a question ended.
pub(super) enum Asked {
    /// It was decided.
    Decided(PermissionDecisionBody),
    /// The daemon stops; the next one waits on.
    Interrupted,
}

/// Asks, unless a daemon before this one has asked, and waits for the answer.
pub(super) async fn ask(
    lane: &Arc<Lane>,
    running: &RunningTurn,
    call: &ToolCall,
    question: &Question,
) -> Result<Asked, SessionError> {
    let wanted = request(call, question);
    let is_same = |asked: &PermissionRequestBody| is_same(asked, &wanted);
    if let Some(decision) = decision(lane, &call.id, is_same).await {
        return Ok(Asked::Decided(decision));
    }
    let request = open(lane, running.turn_id, wanted.clone()).await?;
    loop {
        let answered = lane.answered.notified();
        tokio::pin!(answered);
        answered.as_mut().enable();
        let is_this = |asked: &PermissionRequestBody| asked.request_id == request.request_id;
        if let Some(decision) = decision(lane, &call.id, is_this).await {
            return Ok(Asked::Decided(decision));
        }
        let (decision, reason) = tokio::select! {
            biased;
            () = running.cancel.cancelled() => {
                if running.is_interrupted() {
                    return Ok(Asked::Interrupted);
                }
                (PermissionDecision::Cancelled, "the turn was cancelled")
            }
            () = answered => continue,
            () = passed(request.deadline) => {
                let decision = request.at_deadline.unwrap_or(PermissionDecision::Deny);
                (decision, "nobody answered in time")
            }
        };
        decide(lane, request.request_id, decision, reason).await?;
    }
}

/// What a decision means for the call.
pub(super) fn permission(decision: &PermissionDecisionBody) -> Permission {
    let reason = decision.reason.as_deref();
    match (decision.decision, reason) {
        (decision, _) if decision.allows() => Permission::Granted,
        (PermissionDecision::Cancelled, _) => Permission::Refused(CANCELLED.to_owned()),
        (_, Some(reason)) => Permission::Refused(format!("not run: permission refused: {reason}")),
        (_, None) => Permission::Refused("not run: permission refused".to_owned()),
    }
}

/// Whether an answer to one request answers the other: it is about the same call, for the same
/// reason and with the same consequences.
fn is_same(asked: &PermissionRequestBody, wanted: &PermissionRequestBody) -> bool {
    (&asked.tool_call_id, &asked.input) == (&wanted.tool_call_id, &wanted.input)
        && (&asked.reason, &asked.rules) == (&wanted.reason, &wanted.rules)
}

/// What was decided about a call, when it was asked like that.
async fn decision(
    lane: &Lane,
    call_id: &str,
    is_wanted: impl Fn(&PermissionRequestBody) -> bool,
) -> Option<PermissionDecisionBody> {
    let state = lane.lock().await;
    let turn = state.view.state.turn.as_ref()?;
    let mut calls = turn.calls.iter();
    let call = calls.find(|call| call.tool_call_id == call_id)?;
    let asked = call.asked.as_ref().filter(|asked| is_wanted(asked));
    asked.and(call.decision.clone())
}

/// The open request for a call; a new one, if there is none. One that asks something else, because
/// it was judged by another daemon, ends.
async fn open(
    lane: &Arc<Lane>,
    turn_id: TurnId,
    wanted: PermissionRequestBody,
) -> Result<PermissionRequestBody, SessionError> {
    lane.persist(move |lane, state| {
        let open = state.view.state.permissions.iter();
        let mut open = open.filter(|open| open.tool_call_id == wanted.tool_call_id);
        match open.next().cloned() {
            Some(open) if is_same(&open, &wanted) => return Ok(open),
            Some(open) => {
                let decision = PermissionDecisionBody {
                    request_id: open.request_id,
                    decision: PermissionDecision::Cancelled,
                    reason: Some("it is asked again, in other words".to_owned()),
                };
                lane.decide(state, None, decision)?;
            }
            None => {}
        }
        let body = PersistentBody::PermissionRequest(wanted.clone());
        lane.commit(state, Draft::new(body).in_turn(turn_id))?;
        lane.announce(state);
        Ok(wanted.clone())
    })
    .await
}

fn request(call: &ToolCall, question: &Question) -> PermissionRequestBody {
    let millis = |timeout: Duration| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    let at_timeout = if question.allow_at_timeout {
        PermissionDecision::Once
    } else {
        PermissionDecision::Deny
    };
    PermissionRequestBody {
        request_id: PermissionRequestId::generate(),
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        input: call.input.clone(),
        reason: question.reason.clone(),
        rules: question.rules.clone(),
        deadline: question
            .timeout
            .map(|timeout| now_ms().saturating_add(millis(timeout))),
        at_deadline: question.timeout.map(|_| at_timeout),
    }
}

/// Completes at the deadline, in milliseconds since 1970; never without one.
async fn passed(deadline: Option<u64>) {
    match deadline {
        Some(deadline) => {
            let rest = deadline.saturating_sub(now_ms());
            tokio::time::sleep(Duration::from_millis(rest)).await;
        }
        None => std::future::pending().await,
    }
}

/// Decides in nobody's name, unless somebody was faster.
async fn decide(
    lane: &Arc<Lane>,
    request_id: PermissionRequestId,
    decision: PermissionDecision,
    reason: &str,
) -> Result<(), SessionError> {
    let body = PermissionDecisionBody {
        request_id,
        decision,
        reason: Some(reason.to_owned()),
    };
    lane.persist(move |lane, state| {
        let mut open = state.view.state.permissions.iter();
        if open.any(|open| open.request_id == body.request_id) {
            lane.decide(state, None, body.clone())?;
        }
        Ok(())
    })
    .await
}
