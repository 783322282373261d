//! The end of a turn.

use std::sync::Arc;

use scorel_proto::{
    EventId, MessageCancelReason, MessageCancelled, OutcomeReason, PersistentBody, RuntimeEnd,
    RuntimeStart, TransientBody, TurnId, TurnOutcomeBody,
};
use scorel_runtime::TurnEnd;

use crate::SessionError;
use crate::clock::now_ms;
use crate::lane::{Draft, Lane, LaneState, RunningTurn};
use crate::recovery::answer_open_calls;

/// Closes the turn. While the log cannot be written this waits and tries again: a turn without an
/// outcome would block the session.
pub(super) async fn finish(lane: &Arc<Lane>, running: &RunningTurn, mut end: TurnEnd) {
    if end.reason == OutcomeReason::Cancelled && running.is_interrupted() {
        if waits(lane).await {
            // It was not in the middle of anything; the next daemon waits on.
            lane.turn.end();
            return;
        }
        end.reason = OutcomeReason::Interrupted;
    }
    let turn_id = running.turn_id;
    let closed = lane.persist(move |lane, state| close(lane, state, turn_id, &end));
    if let Err(error) = closed.await {
        tracing::error!(session = %lane.id(), %error, "the turn has no outcome");
        lane.turn.end();
    }
}

/// Whether the turn waits for a moment or for an answer, with nothing under way.
async fn waits(lane: &Lane) -> bool {
    let state = lane.lock().await;
    let turn = state.view.state.turn.as_ref();
    turn.is_some_and(|turn| turn.waiting.is_some() && turn.calls.is_empty())
        || state.view.state.is_asking()
}

/// The outcome, the change of phase and the start of the next turn are one section.
fn close(
    lane: &Arc<Lane>,
    state: &mut LaneState,
    turn_id: TurnId,
    end: &TurnEnd,
) -> Result<(), SessionError> {
    leave_nothing_open(lane, state, turn_id)?;
    // Before the outcome is seen: whoever cancels after having seen it cancels nothing.
    let ran = lane.turn.end();
    if let Err(error) = write_outcome(lane, state, turn_id, end) {
        lane.turn.put_back(ran);
        return Err(error);
    }
    lane.go_on(state);
    lane.announce(state);
    lane.checkpoint_if_due(state);
    Ok(())
}

/// A turn that the engine ended has nothing open; one that failed in another way may have.
fn leave_nothing_open(
    lane: &Lane,
    state: &mut LaneState,
    turn_id: TurnId,
) -> Result<(), SessionError> {
    if state
        .view
        .state
        .turn
        .as_ref()
        .is_some_and(|turn| !turn.running)
    {
        lane.show(state, turn_id, TransientBody::RuntimeStart(RuntimeStart {}))?;
    }
    let messages = &state.view.open.messages;
    let open: Vec<EventId> = messages.iter().map(|message| message.event_id).collect();
    for event_id in open {
        let reason = MessageCancelReason::Error;
        let body = TransientBody::MessageCancelled(MessageCancelled { event_id, reason });
        lane.show(state, turn_id, body)?;
    }
    lane.cancel_requests(state, "the turn has ended")?;
    answer_open_calls(lane, state, "the turn failed")
}

fn write_outcome(
    lane: &Lane,
    state: &mut LaneState,
    turn_id: TurnId,
    end: &TurnEnd,
) -> Result<(), SessionError> {
    let turn = state.view.state.turn.as_ref();
    let started = turn.map_or_else(now_ms, |turn| turn.started_at);
    let shown = TransientBody::RuntimeEnd(RuntimeEnd {
        reason: end.reason,
        error: end.error.as_ref().map(|error| error.message.clone()),
    });
    let outcome = PersistentBody::TurnOutcome(TurnOutcomeBody {
        reason: end.reason,
        error: end.error.clone(),
        usage: end.usage,
        steps: end.steps,
        duration_ms: now_ms().saturating_sub(started),
    });
    let draft = Draft::new(outcome).in_turn(turn_id);
    lane.commit_behind(state, turn_id, shown, draft)
}
