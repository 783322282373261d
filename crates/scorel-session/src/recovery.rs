//! What a crash left open is closed when the session is loaded.

use scorel_proto::{
    EventId, Message, MessageBody, OpenCall, OutcomeReason, PermissionDecision,
    PermissionDecisionBody, PersistentBody, ToolResultBlock, ToolResultMessage, TurnOutcomeBody,
};

use crate::SessionError;
use crate::lane::{Draft, Lane, LaneState};

/// Closes the turn that a crash interrupted, if there is one.
///
/// Each record that this writes takes the fold one step further, so a crash in the middle is
/// continued by the next load and gives the same records.
pub(crate) fn recover(lane: &Lane, state: &mut LaneState) -> Result<(), SessionError> {
    let Some(turn) = state.view.state.turn.clone() else {
        return Ok(());
    };
    tracing::info!(session = %lane.id(), turn = %turn.turn_id, "closing an interrupted turn");
    // The time until the daemon was started again is not the turn's.
    let last_sign = state.view.state.updated_at;
    answer_open_calls(lane, state, "the daemon stopped")?;
    for request in state.view.state.permissions.clone() {
        let body = PersistentBody::PermissionDecision(PermissionDecisionBody {
            request_id: request.request_id,
            decision: PermissionDecision::Cancelled,
            reason: Some("the daemon stopped".to_owned()),
        });
        lane.commit(state, Draft::new(body).in_turn(turn.turn_id))?;
    }
    let body = PersistentBody::TurnOutcome(TurnOutcomeBody {
        reason: OutcomeReason::Interrupted,
        error: None,
        usage: turn.usage,
        steps: turn.steps,
        duration_ms: last_sign.saturating_sub(turn.started_at),
    });
    lane.commit(state, Draft::new(body).in_turn(turn.turn_id))?;
    Ok(())
}

/// Gives every tool call of the open turn that has no result an error as its result.
pub(crate) fn answer_open_calls(
    lane: &Lane,
    state: &mut LaneState,
    cause: &str,
) -> Result<(), SessionError> {
    let Some(turn) = &state.view.state.turn else {
        return Ok(());
    };
    let turn_id = turn.turn_id;
    for call in turn.calls.clone() {
        let id = call.started.unwrap_or_else(EventId::generate);
        let message = Message::ToolResult(unknown_result(call, cause));
        let body = PersistentBody::Message(MessageBody {
            message,
            queue_item_id: None,
        });
        lane.commit(state, Draft::new(body).with_id(id).in_turn(turn_id))?;
    }
    Ok(())
}

fn unknown_result(call: OpenCall, cause: &str) -> ToolResultMessage {
    let text = match call.started {
        Some(_) => format!("started, outcome unknown: {cause} before the tool had ended"),
        None => format!("not started: {cause}"),
    };
    ToolResultMessage::new(
        call.tool_name,
        ToolResultBlock::error(call.tool_call_id, text),
        0,
    )
}
