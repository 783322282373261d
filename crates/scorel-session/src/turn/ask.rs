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
    if let Some(decision) = decision(lane, &call.id).await {
        return Ok(Asked::Decided(decision));
    }
    let request = open(lane, running.turn_id, call, question).await?;
    loop {
        let answered = lane.answered.notified();
        tokio::pin!(answered);
        answered.as_mut().enable();
        if let Some(decision) = decision(lane, &call.id).await {
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

/// What was decided about a call.
async fn decision(lane: &Lane, call_id: &str) -> Option<PermissionDecisionBody> {
    let state = lane.lock().await;
    let turn = state.view.state.turn.as_ref()?;
    let call = turn
        .calls
        .iter()
        .find(|call| call.tool_call_id == call_id)?;
    call.decision.clone()
}

/// The open request for a call; a new one, if there is none.
async fn open(
    lane: &Arc<Lane>,
    turn_id: TurnId,
    call: &ToolCall,
    question: &Question,
) -> Result<PermissionRequestBody, SessionError> {
    let request = request(call, question);
    lane.persist(move |lane, state| {
        let mut open = state.view.state.permissions.iter();
        if let Some(open) = open.find(|open| open.tool_call_id == request.tool_call_id) {
            return Ok(open.clone());
        }
        let body = PersistentBody::PermissionRequest(request.clone());
        lane.commit(state, Draft::new(body).in_turn(turn_id))?;
        lane.announce(state);
        Ok(request.clone())
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
