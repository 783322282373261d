//! The task that runs one turn: the bridge between the engine and the lane.

mod bridge;
mod close;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use scorel_proto::{
    Event, InstructionPart, InstructionSnapshotBody, OutcomeReason, PersistentBody,
    PersistentEvent, RuntimeStart, TransientBody, TurnError, build_context,
};
use scorel_runtime::{Step, TurnDriver, TurnEnd, TurnPorts};

use crate::lane::{Draft, Lane, RunningTurn};
use crate::{PreparedTurn, SessionError, TurnRequest};

use bridge::Bridge;
use close::finish;

/// Starts the task of a turn whose first record is durable.
pub(crate) fn spawn(lane: Arc<Lane>, running: RunningTurn) {
    let tasks = lane.shared.tasks.clone();
    tasks.spawn(async move {
        // A panic of a model or a tool ends this turn and nothing else.
        let run = AssertUnwindSafe(run(&lane, &running)).catch_unwind().await;
        let defect = |_| Err(SessionError::Internal("a defect; see the log".to_owned()));
        let end = match run.unwrap_or_else(defect) {
            Ok(end) => end,
            Err(error) => failed(&lane, &error).await,
        };
        finish(&lane, &running, end).await;
    });
}

/// Runs the turn up to its end, and says how it ended.
async fn run(lane: &Arc<Lane>, running: &RunningTurn) -> Result<TurnEnd, SessionError> {
    let prepared = tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(ended(OutcomeReason::Cancelled, None)),
        prepared = prepare(lane) => prepared?,
    };
    let prepared = match prepared {
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
    let mut bridge = Bridge::new(Arc::clone(lane), turn_id, path);
    drive(&mut bridge, ports, running).await
}

async fn drive(
    bridge: &mut Bridge,
    ports: TurnPorts,
    running: &RunningTurn,
) -> Result<TurnEnd, SessionError> {
    let stop = running.cancel.child_token();
    let mut driver = TurnDriver::new(ports, stop.clone());
    loop {
        match driver.next().await {
            Step::NeedContext => driver.provide_context(build_context(bridge.path())),
            Step::Event(event) => {
                if let Err(error) = bridge.handle(event).await {
                    stop.cancel();
                    wind_down(driver).await;
                    return Err(error);
                }
            }
            Step::Finished(end) => return Ok(end),
        }
    }
}

/// Nothing more can be written of this turn, but tools that run come to their end.
async fn wind_down(mut driver: TurnDriver) {
    while !matches!(driver.next().await, Step::Finished(_)) {}
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
