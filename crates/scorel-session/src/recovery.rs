//! What a crash left open is closed when the session is loaded.

use scorel_proto::{
    AssistantMessage, Block, EventId, InternalMessage, Message, MessageBody, Meta, OpenCall,
    OutcomeReason, PersistentBody, StopReason, ToolResultBlock, ToolResultMessage, TurnId,
    TurnOutcomeBody, TurnResumedBody,
};

use std::sync::Arc;

use crate::SessionError;
use crate::lane::{Draft, Lane, LaneState};

/// Closes the turn that a crash interrupted, if there is one.
///
/// Each record that this writes takes the fold one step further, so a crash in the middle is
/// continued by the next load and gives the same records.
pub(crate) fn recover(lane: &Arc<Lane>, state: &mut LaneState) -> Result<(), SessionError> {
    let Some(turn) = state.view.state.turn.clone() else {
        return Ok(());
    };
    let waits = turn.waiting.is_some() && turn.calls.is_empty();
    if waits || state.view.state.is_asking() {
        // Nothing was under way: it waits on.
        lane.begin_turn(state, turn.turn_id);
        return Ok(());
    }
    tracing::info!(session = %lane.id(), turn = %turn.turn_id, "a turn was interrupted");
    // The time until the daemon was started again is not the turn's.
    let last_sign = state.view.state.updated_at;
    keep_spooled(lane, state, turn.turn_id)?;
    answer_open_calls(lane, state, "the daemon stopped")?;
    lane.cancel_requests(state, "the daemon stopped")?;
    if lane.shared.settings.resume_interrupted && !turn.resumed {
        return resume(lane, state, turn.turn_id);
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

/// The turn goes on. That is claimed first, so that a turn which ends the daemon does so only once
/// more.
fn resume(lane: &Arc<Lane>, state: &mut LaneState, turn_id: TurnId) -> Result<(), SessionError> {
    let claim = PersistentBody::TurnResumed(TurnResumedBody {});
    lane.commit(state, Draft::new(claim).in_turn(turn_id))?;
    let message = Message::Internal(InternalMessage {
        content: vec![Block::text(INTERRUPTED)],
        meta: Meta::default(),
    });
    let body = PersistentBody::Message(MessageBody {
        message,
        queue_item_id: None,
    });
    lane.commit(state, Draft::new(body).in_turn(turn_id))?;
    lane.begin_turn(state, turn_id);
    Ok(())
}

/// What the model of a resumed turn is told.
const INTERRUPTED: &str = "The program that runs you was interrupted and has started again. What \
    you said last may be cut off, and the outcome of a tool that was running is not known. Go on \
    from here.";

/// What was shown of a message becomes a partial message; one without text becomes nothing.
fn keep_spooled(lane: &Lane, state: &mut LaneState, turn_id: TurnId) -> Result<(), SessionError> {
    let Some(spooled) = state.spool.read() else {
        return Ok(());
    };
    let has_text = spooled.content.iter().any(|block| match block {
        Block::Text { text, .. } => !text.trim().is_empty(),
        _ => false,
    });
    let counts = spooled.turn_id == turn_id && !state.view.tree.contains(spooled.event_id);
    if counts && has_text {
        let message = Message::Assistant(AssistantMessage {
            content: spooled.content,
            model: spooled.model,
            stop_reason: StopReason::Interrupted,
            usage: None,
            partial: true,
            meta: Meta::default(),
        });
        let body = PersistentBody::Message(MessageBody {
            message,
            queue_item_id: None,
        });
        let draft = Draft::new(body).with_id(spooled.event_id).in_turn(turn_id);
        match lane.commit_any_size(state, draft) {
            Err(SessionError::TooLarge { .. }) => {
                tracing::warn!(session = %lane.id(), "a message is too long to be kept");
            }
            committed => committed.map(|_| ())?,
        }
    }
    state.spool.clear();
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
