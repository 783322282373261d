//! A turn that an earlier daemon left with an open question.
//!
//! The question has outlived the runner's process. Its answer is taken here; then the open calls end as
//! not run, the runner resumes and is told, and its next equal request gets the decision, once.

use scorel_engine::ToolCall;
use scorel_proto::{
    EventId, Message, MessageBody, OpenCall, PermissionDecisionBody, PersistentBody,
    ToolResultBlock, ToolResultMessage, reminder,
};
use serde_json::Value;

use crate::lane::{EventDraft, Section};
use crate::turn::ask::{PermissionAnswer, remember};
use crate::turn::exit::TurnExit;
use crate::turn::task::TurnTask;
use crate::{PreparedRunner, SessionError};

/// A decision about a call of a process that is gone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EarlierDecision {
    tool: String,
    input: Value,
    pub(super) decision: PermissionDecisionBody,
}

impl EarlierDecision {
    /// Returns whether the decision answers a question about this call as well: same tool, same input.
    pub(super) fn is_about(&self, call: &ToolCall) -> bool {
        (&self.tool, &self.input) == (&call.name, &call.input)
    }

    /// What the runner is told in place of a prompt.
    pub(super) fn told(&self, runner: &str) -> String {
        let decision = if self.decision.decision.allows() {
            "allowed"
        } else {
            "refused"
        };
        reminder(&format!(
            "{runner} was restarted while the user was asked about your call of {} \
             with the input {}. It was not run. The user has {decision} it. If it is allowed and still \
             needed, make the same call again; you will not be asked. Go on with what you were asked to \
             do.",
            self.tool, self.input
        ))
    }
}

impl TurnTask {
    /// Waits for the answer to the question that an earlier daemon has left, if there is one, and ends the
    /// open calls. The error is how the turn is left while it waits.
    pub(super) async fn reopen(
        &self,
        prepared: &PreparedRunner,
    ) -> Result<Result<Option<EarlierDecision>, TurnExit>, SessionError> {
        let asked = self.lane.view(|view| {
            let calls = &view.state.turn.as_ref()?.calls;
            let mut open = view.state.permissions.iter();
            let open = open.find(|request| {
                let mut calls = calls.iter();
                calls.any(|call| call.tool_call_id == request.tool_call_id)
            });
            // It may have been answered since this daemon has started.
            let answered = calls.iter().rev().find_map(|call| call.asked.as_ref());
            open.or(answered).cloned()
        });
        let Some(request) = asked else {
            return Ok(Ok(None));
        };
        let decision = match self.await_decision(&request).await? {
            PermissionAnswer::Decided(decision) => decision,
            PermissionAnswer::Left(exit) => return Ok(Err(exit)),
        };
        remember(&*prepared.ports.gate, &request.rules, &decision);
        let asked = request.tool_call_id.clone();
        self.lane
            .persist(move |section| end_calls(section, &asked))
            .await?;
        Ok(Ok(Some(EarlierDecision {
            tool: request.tool_name.clone(),
            input: request.input.clone(),
            decision,
        })))
    }
}

/// Ends the open calls of the turn: the one that was asked about was not run, others may have been.
fn end_calls(section: &mut Section<'_>, asked: &str) -> Result<(), SessionError> {
    let Some(turn) = section.view().state.turn.clone() else {
        return Ok(());
    };
    for OpenCall {
        tool_call_id,
        tool_name,
        started,
        ran_by,
        ..
    } in turn.calls
    {
        let runner = ran_by.as_deref().unwrap_or("the runner");
        let text = if tool_call_id == asked {
            format!("not run: {runner} was restarted")
        } else {
            format!("ran in {runner}, outcome unknown: it was restarted")
        };
        let block = ToolResultBlock::error(tool_call_id, text);
        let mut result = ToolResultMessage::new(tool_name, block, 0);
        result.meta.runner = ran_by.map(|name| section.message_runner(name));
        let body = MessageBody::new(Message::ToolResult(result));
        let draft = EventDraft::new(PersistentBody::Message(body));
        let draft = draft.with_id(started.unwrap_or_else(EventId::generate));
        section.commit(draft.in_turn(turn.turn_id))?;
    }
    section.announce();
    Ok(())
}
