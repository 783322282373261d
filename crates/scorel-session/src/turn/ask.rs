//! Asking for permission to run a tool call.
//!
//! The request and its decision are records. The task waits for the decision's record, not for a
//! message of the client, so that it makes no difference who decides, and when: a client, a
//! deadline, a cancel, or a client that answered while an earlier daemon ran.

use std::time::Duration;

use scorel_engine::{Gatekeeper, HookMarks, PendingCall, Permission, Question, StopCause};
use scorel_proto::{
    PermissionDecision, PermissionDecisionBody, PermissionRequestBody, PermissionRequestId,
    PersistentBody, SessionView,
};
use tokio::time::{Instant, sleep};

use super::exit::TurnExit;
use super::task::TurnTask;
use super::wait::LOOK;
use crate::SessionError;
use crate::clock::{millis, now_ms};
use crate::lane::{EventDraft, Section};

/// How waiting for a decision ended.
pub(super) enum PermissionAnswer {
    Decided(PermissionDecisionBody),
    /// The daemon stops. The request stays open, and the next daemon waits on.
    Left(TurnExit),
}

impl TurnTask {
    /// Records the request, unless an earlier daemon has, and waits for the decision. That of a hook is recorded
    /// with the request.
    pub(super) async fn ask(
        &self,
        call: &PendingCall,
        question: &Question,
    ) -> Result<PermissionAnswer, SessionError> {
        let allowed_by = call.marks.as_ref().and_then(|it| it.allowed_by.clone());
        let request = self
            .recorded_request(request(call, question), allowed_by)
            .await?;
        self.await_decision(&request).await
    }

    /// Waits for the decision about a request that is recorded.
    pub(super) async fn await_decision(
        &self,
        request: &PermissionRequestBody,
    ) -> Result<PermissionAnswer, SessionError> {
        let decision = |view: &SessionView| {
            let (asked, decision) = decided(view, &request.tool_call_id)?;
            (asked.request_id == request.request_id).then(|| decision.clone())
        };
        loop {
            // Enabled before the check: a decision between the two would be missed.
            let answered = self.lane.answered();
            tokio::pin!(answered);
            answered.as_mut().enable();
            if let Some(decision) = self.lane.view(decision) {
                return Ok(PermissionAnswer::Decided(decision));
            }
            let (decision, reason) = tokio::select! {
                biased;
                cause = self.stop.fired() => match cause {
                    StopCause::Interrupted => {
                        return Ok(PermissionAnswer::Left(self.stopped(cause).into()));
                    }
                    _ => (PermissionDecision::Cancelled, "the turn was cancelled"),
                },
                () = answered => continue,
                () = self.stop.parking() => return Ok(PermissionAnswer::Left(TurnExit::Parked)),
                () = passed(request.deadline) => {
                    let decision = request.at_deadline.unwrap_or(PermissionDecision::Deny);
                    (decision, "no answer before the deadline")
                }
            };
            self.decide(request.request_id, decision, reason).await?;
        }
    }

    /// Cancels the open request for a call, unless a client was faster.
    ///
    /// The request is looked up in the section: one that is being synced is open only once the section
    /// that records it has ended, also if that is no longer waited for.
    pub(super) async fn withdraw(&self, call_id: &str, reason: &str) -> Result<(), SessionError> {
        let (call_id, reason) = (call_id.to_owned(), reason.to_owned());
        self.lane
            .persist(move |section| match open_for(section, &call_id) {
                Some(open) => section.cancel_request(open.request_id, &reason),
                None => Ok(()),
            })
            .await
    }

    /// The request for a call that has an answer or waits for one, or a new one. A request with other words,
    /// from another daemon's configuration, is cancelled: its answer would not answer this one.
    ///
    /// In one section: a client may answer the request of an earlier daemon at any moment, and must not
    /// be asked again.
    async fn recorded_request(
        &self,
        wanted: PermissionRequestBody,
        allowed_by: Option<String>,
    ) -> Result<PermissionRequestBody, SessionError> {
        let turn_id = self.turn_id;
        self.lane
            .persist(move |section| {
                let answered = decided(&section.view(), &wanted.tool_call_id)
                    .map(|(asked, _)| asked.clone())
                    .filter(|asked| is_same(asked, &wanted));
                if let Some(answered) = answered {
                    return Ok(answered);
                }
                match open_for(section, &wanted.tool_call_id) {
                    Some(open) if is_same(&open, &wanted) => return Ok(open),
                    Some(open) => section
                        .cancel_request(open.request_id, "replaced by a request in other words")?,
                    None => {}
                }
                let body = PersistentBody::PermissionRequest(wanted.clone());
                let draft = EventDraft::new(body).in_turn(turn_id);
                match allowed_by.clone() {
                    None => drop(section.commit_and_announce(draft)?),
                    Some(hook) => {
                        // Announced with its decision: no person is asked.
                        section.commit(draft)?;
                        section.decide(None, allowed(wanted.request_id, hook))?;
                    }
                }
                Ok(wanted.clone())
            })
            .await
    }

    /// Records a decision of the daemon's own, unless a client was faster.
    async fn decide(
        &self,
        request_id: PermissionRequestId,
        decision: PermissionDecision,
        reason: &str,
    ) -> Result<(), SessionError> {
        let body = PermissionDecisionBody {
            request_id,
            decision,
            reason: Some(reason.to_owned()),
            by: None,
        };
        self.lane
            .persist(move |section| {
                if section.open_request(body.request_id).is_some() {
                    section.decide(None, body.clone())?;
                }
                Ok(())
            })
            .await
    }
}

/// The yes of a hook.
const fn allowed(request_id: PermissionRequestId, hook: String) -> PermissionDecisionBody {
    PermissionDecisionBody {
        request_id,
        decision: PermissionDecision::Once,
        reason: None,
        by: Some(hook),
    }
}

/// The last question about an open call and the decision about it, if it has one.
fn decided<'a>(
    view: &'a SessionView,
    call_id: &str,
) -> Option<(&'a PermissionRequestBody, &'a PermissionDecisionBody)> {
    let mut calls = view.state.turn.as_ref()?.calls.iter();
    let call = calls.find(|call| call.tool_call_id == call_id)?;
    call.asked.as_ref().zip(call.decision.as_ref())
}

/// The open request for a call.
fn open_for(section: &Section<'_>, call_id: &str) -> Option<PermissionRequestBody> {
    let view = section.view();
    let mut open = view.state.permissions.iter();
    open.find(|open| open.tool_call_id == call_id).cloned()
}

/// Tells the gate of the rules that a decision grants for longer than this once.
pub(super) fn remember(gate: &dyn Gatekeeper, rules: &[String], decision: &PermissionDecisionBody) {
    let lasts = decision.decision != PermissionDecision::Once;
    if decision.decision.allows() && lasts {
        gate.allow(rules);
    }
}

/// The decision as the engine takes it.
pub(super) fn permission(decision: &PermissionDecisionBody) -> Permission {
    let reason = decision.reason.as_deref();
    match (decision.decision, reason) {
        (decision, _) if decision.allows() => Permission::Granted,
        (PermissionDecision::Cancelled, _) => {
            Permission::Refused(StopCause::Cancelled.call_result().to_owned())
        }
        (_, Some(reason)) => Permission::Refused(format!("not run: permission refused: {reason}")),
        (_, None) => Permission::Refused("not run: permission refused".to_owned()),
    }
}

/// Returns whether the answer to one request answers the other: same call, same reason, same rules.
fn is_same(asked: &PermissionRequestBody, wanted: &PermissionRequestBody) -> bool {
    (&asked.tool_call_id, &asked.input) == (&wanted.tool_call_id, &wanted.input)
        && (&asked.reason, &asked.rules) == (&wanted.reason, &wanted.rules)
}

fn request(pending: &PendingCall, question: &Question) -> PermissionRequestBody {
    let PendingCall { call, marks } = pending;
    let HookMarks {
        changed_by, reason, ..
    } = marks.clone().unwrap_or_default();
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
        changed_by,
        reason: question.reason.clone(),
        hook_reason: reason,
        rules: question.rules.clone(),
        session_only: question.session_only,
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
            let rest = || Duration::from_millis(deadline.saturating_sub(now_ms()));
            // The timer is the bound where the wall clock is set back.
            let end = Instant::now() + rest();
            loop {
                let rest = rest().min(end.saturating_duration_since(Instant::now()));
                if rest.is_zero() {
                    return;
                }
                sleep(rest.min(LOOK)).await;
            }
        }
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use scorel_engine::ToolCall;
    use serde_json::json;

    use super::*;

    fn asked(change: impl FnOnce(&mut ToolCall, &mut Question)) -> PermissionRequestBody {
        let mut call = ToolCall {
            id: "c1".to_owned(),
            name: "write".to_owned(),
            input: json!({"path": "a"}),
            invalid_input: None,
        };
        let mut question = Question {
            reason: "it writes".to_owned(),
            rules: vec!["write(a)".to_owned()],
            session_only: false,
            timeout: None,
            allow_at_timeout: false,
        };
        change(&mut call, &mut question);
        request(&call.into(), &question)
    }

    #[test]
    fn an_answer_counts_for_the_call_and_the_question_that_it_was_given_to() {
        let first = asked(|_, _| {});
        assert!(is_same(&first, &asked(|_, _| {})));
        let others = [
            asked(|call, _| call.id = "c2".to_owned()),
            asked(|call, _| call.input = json!({"path": "b"})),
            asked(|_, question| question.reason = "it is protected".to_owned()),
            asked(|_, question| question.rules = vec!["write(b)".to_owned()]),
        ];
        for other in others {
            assert!(!is_same(&first, &other), "{other:?}");
        }
    }
}
