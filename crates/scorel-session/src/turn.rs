//! The task of a turn: between the engine and the lane.
//!
//! In: a turn whose first record is durable. Out: records and transient events through the lane, at
//! last the outcome. The engine (`scorel-runtime`) knows no session; the lane knows no engine. This
//! module gives the engine's events their ids, has each made durable before the next step, and keeps
//! the promise that every turn gets an outcome.

mod ask;
mod bridge;
mod close;
mod drive;
mod prepare;
mod task;
mod title;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use scorel_proto::TurnError;
use scorel_runtime::TurnEnd;

use crate::SessionError;
use crate::lane::{Job, Lane, RunningJob};

use task::TurnTask;

/// Spawns the task of a job. See [`StartJob`](crate::lane::StartJob).
pub(crate) fn start_job(lane: Arc<Lane>, running: RunningJob) {
    let Job::Turn(turn_id) = running.job;
    let tasks = lane.tasks().clone();
    let task = TurnTask {
        lane,
        turn_id,
        stop: running.stop,
    };
    tasks.spawn(async move {
        // A panic in a provider or a tool ends this turn with an error and nothing else.
        let run = AssertUnwindSafe(run(&task)).catch_unwind().await;
        let defect = |_| Err(SessionError::Internal("a defect; see the log".to_owned()));
        let end = match run.unwrap_or_else(defect) {
            Ok(end) => end,
            Err(error) => task.failed(turn_error(&error)),
        };
        task.close(end).await;
    });
}

async fn run(task: &TurnTask) -> Result<TurnEnd, SessionError> {
    let known = task.lane.known_guidance().await?;
    let prepared = tokio::select! {
        biased;
        cause = task.stop.fired() => return Ok(task.stopped(cause)),
        prepared = task.prepare(known.clone()) => prepared?,
    };
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(task.failed(error)),
    };
    let mut ports = prepared.ports;
    let begun = task.begin(known, prepared.guidance, prepared.notices);
    ports.system = begun.await?;
    // Before waiting: time spent waiting does not count, and the fold stops counting with
    // `turn_waiting`, not with `turn_resumed`.
    let progress = task.progress();
    if let Some(cause) = task.wait_on().await? {
        return Ok(task.stopped(cause));
    }
    task.drive(ports, progress).await
}

fn turn_error(error: &SessionError) -> TurnError {
    TurnError {
        code: error.code().name().to_owned(),
        message: error.to_string(),
        retryable: error.code().retryable(),
        hint: None,
    }
}
