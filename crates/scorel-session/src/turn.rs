//! The task that runs one turn: the bridge between the engine and the lane.

mod ask;
mod bridge;
mod close;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use scorel_journal::Place;
use scorel_proto::{
    Event, InstructionPart, InstructionSnapshotBody, Message, MessageBody, OutcomeReason,
    PermissionDecision::Once, PersistentBody, PersistentEvent, RuntimeStart, TransientBody,
    TurnError, TurnResumedBody, build_context,
};
use scorel_runtime::{Step, ToolCall, TurnDriver, TurnEnd, TurnPorts, TurnProgress, tool_calls};

use crate::clock::now_ms;
use crate::lane::{Draft, Lane, RunningTurn};
use crate::{PreparedTurn, SessionError, TurnRequest};

use ask::{Asked, ask, permission};
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
        () = running.cancel.cancelled() => {
            return Ok(ended(lane, OutcomeReason::Cancelled, None).await);
        }
        prepared = prepare(lane) => prepared?,
    };
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(ended(lane, OutcomeReason::Error, Some(error)).await),
    };
    let PreparedTurn {
        mut ports,
        instructions,
    } = prepared;
    ports.system = freeze(lane, running, instructions).await?;
    let progress = progress(lane).await;
    if !wait_on(lane, running).await? {
        return Ok(ended(lane, OutcomeReason::Cancelled, None).await);
    }
    let path = active_path(lane).await?;
    let mut bridge = Bridge::new(Arc::clone(lane), running.clone(), path);
    drive(lane, &mut bridge, ports, running, progress).await
}

/// What the turn has done before, as its records tell; nothing, unless a daemon before began it.
async fn progress(lane: &Lane) -> TurnProgress {
    let state = lane.lock().await;
    let folded = &state.view.state;
    let Some(turn) = &folded.turn else {
        return TurnProgress::default();
    };
    TurnProgress {
        usage: turn.usage,
        steps: turn.steps,
        elapsed: Duration::from_millis(turn.elapsed_ms(folded.updated_at)),
    }
}

/// Waits on in a turn that was waiting when the daemon ended. Says whether the turn goes on.
async fn wait_on(lane: &Arc<Lane>, running: &RunningTurn) -> Result<bool, SessionError> {
    let until = {
        let state = lane.lock().await;
        let waiting = state
            .view
            .state
            .turn
            .as_ref()
            .and_then(|turn| turn.waiting.as_ref());
        waiting.map(|waiting| waiting.until)
    };
    let Some(until) = until else {
        return Ok(true);
    };
    let rest = Duration::from_millis(until.saturating_sub(now_ms()));
    tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(false),
        () = tokio::time::sleep(rest) => {}
    }
    let resumed = PersistentBody::TurnResumed(TurnResumedBody {});
    let draft = Draft::new(resumed).in_turn(running.turn_id);
    lane.section(move |lane, state| {
        lane.commit(state, draft)?;
        lane.announce(state);
        Ok(true)
    })
    .await?
}

async fn drive(
    lane: &Arc<Lane>,
    bridge: &mut Bridge,
    ports: TurnPorts,
    running: &RunningTurn,
    progress: TurnProgress,
) -> Result<TurnEnd, SessionError> {
    let stop = running.cancel.child_token();
    let gate = Arc::clone(&ports.gate);
    let calls = open_calls(lane, bridge.path()).await;
    let mut driver = if calls.is_empty() {
        TurnDriver::after(ports, stop.clone(), progress)
    } else {
        TurnDriver::with_calls(ports, stop.clone(), progress, calls)
    };
    loop {
        match driver.next().await {
            Step::NeedContext => driver.provide_context(build_context(bridge.path())),
            Step::NeedPermission { call, question } => {
                let decision = match ask(lane, running, &call, &question).await? {
                    Asked::Decided(decision) => decision,
                    // Nothing is under way, and the next daemon asks on.
                    Asked::Interrupted => {
                        return Ok(ended(lane, OutcomeReason::Cancelled, None).await);
                    }
                };
                let lasting = decision.decision.allows() && decision.decision != Once;
                if lasting {
                    gate.allow(&question.rules);
                }
                driver.provide_permission(permission(&decision));
            }
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

/// The calls of the turn's last answer that a daemon before this one left without a result. There
/// are none in a new turn, and none that has started: recovery has answered those.
async fn open_calls(lane: &Lane, path: &[PersistentEvent]) -> Vec<ToolCall> {
    let open = {
        let state = lane.lock().await;
        let turn = state.view.state.turn.as_ref();
        turn.map_or(0, |turn| turn.calls.len())
    };
    let answer = path.iter().rev().find_map(|event| match &event.body {
        PersistentBody::Message(MessageBody {
            message: Message::Assistant(message),
            ..
        }) => Some(message),
        _ => None,
    });
    let mut calls: Vec<ToolCall> = answer.map_or_else(Vec::new, tool_calls);
    // Results come in the order of the calls.
    calls.split_off(calls.len().saturating_sub(open))
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
            tools: state.view.state.tools,
            allowed: state.view.state.allowed.clone(),
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
            let damaged = "the instructions of the session are damaged in the log";
            let line = lane.read_intact(place)?;
            return snapshot_text(
                &line.ok_or_else(|| SessionError::Filesystem(damaged.to_owned()))?,
            );
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
    let places: Vec<Place> = {
        let state = lane.lock().await;
        let path = state.view.tree.path(state.view.leaf());
        path.iter()
            .filter_map(|node| state.index.get(node.seq))
            .collect()
    };
    let wanted = places.len();
    let lines = lane.read_lines(places).await?;
    if lines.len() < wanted {
        return Err(SessionError::Filesystem(
            "a message of the conversation is damaged in the log".to_owned(),
        ));
    }
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

/// The turn ended outside the engine. What the log says of it counts.
async fn ended(lane: &Lane, reason: OutcomeReason, error: Option<TurnError>) -> TurnEnd {
    let TurnProgress { usage, steps, .. } = progress(lane).await;
    TurnEnd {
        reason,
        error,
        usage,
        steps,
    }
}

/// The turn could not go on, for a reason outside the engine.
async fn failed(lane: &Lane, error: &SessionError) -> TurnEnd {
    let error = TurnError {
        code: error.code().name().to_owned(),
        message: error.to_string(),
        retryable: error.code().retryable(),
    };
    ended(lane, OutcomeReason::Error, Some(error)).await
}
