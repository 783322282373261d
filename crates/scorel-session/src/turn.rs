//! The task that runs one turn: the bridge between the engine and the lane.

mod bridge;

use std::sync::Arc;

use scorel_proto::{
    Event, InstructionPart, InstructionSnapshotBody, OutcomeReason, PersistentBody,
    PersistentEvent, QueueOp, RuntimeEnd, RuntimeStart, TransientBody, TurnError, TurnOutcomeBody,
    build_context,
};
use scorel_runtime::{Step, TurnDriver, TurnEnd, TurnPorts};

use crate::clock::now_ms;
use crate::error::STALL_RETRY;
use crate::lane::{Draft, Lane, LaneState, RunningTurn};
use crate::{PreparedTurn, SessionError, TurnRequest};

use bridge::Bridge;

/// Starts the task of a turn whose first record is durable.
pub(crate) fn spawn(lane: Arc<Lane>, running: RunningTurn) {
    let tasks = lane.shared.tasks.clone();
    tasks.spawn(async move {
        let end = match run(&lane, &running).await {
            Ok(end) => end,
            Err(error) => failed(&lane, &error).await,
        };
        finish(&lane, &running, end).await;
    });
}

/// Runs the turn up to its end, and says how it ended.
async fn run(lane: &Arc<Lane>, running: &RunningTurn) -> Result<TurnEnd, SessionError> {
    let prepared = match prepare(lane).await? {
        Ok(prepared) => prepared,
        Err(error) => return Ok(ended(OutcomeReason::Error, Some(error))),
    };
    let turn_id = running.turn_id;
    let PreparedTurn {
        mut ports,
        instructions,
    } = prepared;
    ports.system = freeze(lane, running, instructions).await?;
    let path = active_path(lane).await?;
    let mut bridge = Bridge::new(
        Arc::clone(lane),
        turn_id,
        ports.provider.model().id.clone(),
        path,
    );
    drive(&mut bridge, ports, running).await
}

async fn drive(
    bridge: &mut Bridge,
    ports: TurnPorts,
    running: &RunningTurn,
) -> Result<TurnEnd, SessionError> {
    let mut driver = TurnDriver::new(ports, running.cancel.clone());
    loop {
        match driver.next().await {
            Step::NeedContext => driver.provide_context(build_context(bridge.path())),
            Step::Event(event) => bridge.handle(event).await?,
            Step::Finished(end) => return Ok(end),
        }
    }
}

async fn prepare(lane: &Arc<Lane>) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
    let request = {
        let state = lane.lock().await;
        TurnRequest {
            session_id: lane.id(),
            project_id: lane.header.project_id,
            model: state.view.state.model.clone(),
            thinking_level: state.view.state.thinking_level,
            blobs: lane.blobs.clone(),
        }
    };
    let setup = Arc::clone(&lane.shared.setup);
    tokio::task::spawn_blocking(move || setup.prepare(&request))
        .await
        .map_err(|error| SessionError::Internal(error.to_string()))
}

/// Opens the turn for those who watch, and gives the session's instructions: those that were
/// frozen by an earlier turn, or `parts`, which are frozen now.
async fn freeze(
    lane: &Arc<Lane>,
    running: &RunningTurn,
    parts: Vec<InstructionPart>,
) -> Result<String, SessionError> {
    let turn_id = running.turn_id;
    lane.section(move |lane, state| {
        lane.show(state, turn_id, TransientBody::RuntimeStart(RuntimeStart {}))?;
        lane.announce(state);
        if let Some(place) = state
            .view
            .state
            .snapshot_seq
            .and_then(|seq| state.index.get(seq))
        {
            return snapshot_text(&lane.reader.read(place)?);
        }
        let body = InstructionSnapshotBody { parts };
        let text = body.text();
        let body = PersistentBody::InstructionSnapshot(body);
        lane.commit(state, Draft::new(body).in_turn(turn_id))?;
        Ok(text)
    })
    .await?
}

fn snapshot_text(line: &[u8]) -> Result<String, SessionError> {
    match decode(line)?.body {
        PersistentBody::InstructionSnapshot(body) => Ok(body.text()),
        _ => Err(SessionError::Internal(
            "the log's index is wrong".to_owned(),
        )),
    }
}

/// Reads the events between the root and the active leaf.
async fn active_path(lane: &Arc<Lane>) -> Result<Vec<PersistentEvent>, SessionError> {
    let places = {
        let state = lane.lock().await;
        let path = state.view.tree.path(state.view.leaf());
        path.iter()
            .filter_map(|node| state.index.get(node.seq))
            .collect()
    };
    let lines = lane.read_lines(places).await?;
    // What this version does not understand is not for the model.
    Ok(lines.iter().filter_map(|line| decode(line).ok()).collect())
}

fn decode(line: &[u8]) -> Result<PersistentEvent, SessionError> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    match Event::decode(text) {
        Ok(Event::Persistent(event)) => Ok(*event),
        _ => Err(SessionError::Internal(
            "an event of the log cannot be read".to_owned(),
        )),
    }
}

const fn ended(reason: OutcomeReason, error: Option<TurnError>) -> TurnEnd {
    TurnEnd {
        reason,
        error,
        usage: scorel_proto::Usage::ZERO,
        steps: 0,
    }
}

/// The turn could not go on, for a reason outside the engine. What the log says of it counts.
async fn failed(lane: &Lane, error: &SessionError) -> TurnEnd {
    let state = lane.lock().await;
    let (usage, steps) = state
        .view
        .state
        .turn
        .as_ref()
        .map_or_else(Default::default, |turn| (turn.usage, turn.steps));
    let error = TurnError {
        code: error.code().name().to_owned(),
        message: error.to_string(),
        retryable: error.code().retryable(),
    };
    TurnEnd {
        reason: OutcomeReason::Error,
        error: Some(error),
        usage,
        steps,
    }
}

/// Closes the turn. While the log cannot be written this waits and tries again: a turn without an
/// outcome would block the session.
async fn finish(lane: &Arc<Lane>, running: &RunningTurn, mut end: TurnEnd) {
    if end.reason == OutcomeReason::Cancelled && lane.shared.is_draining() {
        end.reason = OutcomeReason::Interrupted;
    }
    loop {
        let (end, turn_id) = (end.clone(), running.turn_id);
        let closed = lane
            .section(move |lane, state| close(lane, state, turn_id, end))
            .await;
        match closed.and_then(|result| result) {
            Err(error) if error.code().retryable() && !lane.shared.is_draining() => {
                tracing::warn!(session = %lane.id(), %error, "the turn's outcome waits");
                tokio::time::sleep(STALL_RETRY).await;
            }
            Err(error) => {
                tracing::error!(session = %lane.id(), %error, "the turn has no outcome");
                lane.turn.end();
                return;
            }
            Ok(()) => return,
        }
    }
}

/// The outcome, the change of phase and the start of the next turn are one section.
fn close(
    lane: &Arc<Lane>,
    state: &mut LaneState,
    turn_id: scorel_proto::TurnId,
    end: TurnEnd,
) -> Result<(), SessionError> {
    crate::recovery::answer_open_calls(lane, state, "the turn failed")?;
    let error = end.error.as_ref().map(|error| error.message.clone());
    let body = TransientBody::RuntimeEnd(RuntimeEnd {
        reason: end.reason,
        error,
    });
    lane.show(state, turn_id, body)?;
    let started = state
        .view
        .state
        .turn
        .as_ref()
        .map_or(0, |turn| turn.started_at);
    let outcome = TurnOutcomeBody {
        reason: end.reason,
        error: end.error,
        usage: end.usage,
        steps: end.steps,
        duration_ms: now_ms().saturating_sub(started),
    };
    lane.commit(
        state,
        Draft::new(PersistentBody::TurnOutcome(outcome)).in_turn(turn_id),
    )?;
    lane.turn.end();
    if std::mem::take(&mut state.lift_pause) && state.view.state.queue.paused {
        lane.update_queue(state, vec![QueueOp::Resume])?;
    }
    if !lane.shared.is_draining() {
        lane.start_next(state)?;
    }
    lane.announce(state);
    lane.checkpoint_if_due(state);
    Ok(())
}
