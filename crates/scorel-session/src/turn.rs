//! The task of a turn: between the engine and the lane.
//!
//! In: a turn whose first record is durable. Out: records and transient events through the lane, at
//! last the outcome. The engine (`scorel-engine`) knows no session; the lane knows no engine. This
//! module gives the engine's events their ids, has each made durable before the next step, and keeps
//! the promise that every turn gets an outcome.

mod ask;
mod bridge;
mod close;
mod context_check;
mod drive;
mod empty_answer;
mod exit;
mod park;
mod prepare;
mod request_proofs;
mod runner;
mod spending;
mod task;
mod title;
mod wait;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::StopSignal;
use scorel_proto::TurnId;

use crate::lane::{Job, JobName, Lane};
use crate::{SessionError, TurnBackend};

use exit::TurnExit;
use task::TurnTask;

/// The job of a turn whose first record is durable.
pub(crate) fn turn_job(turn_id: TurnId) -> Box<dyn Job> {
    Box::new(TurnJob(turn_id))
}

#[derive(Debug)]
struct TurnJob(TurnId);

impl Job for TurnJob {
    fn name(&self) -> JobName {
        JobName::Turn(self.0)
    }

    fn run(self: Box<Self>, lane: Arc<Lane>, stop: StopSignal) -> BoxFuture<'static, ()> {
        run_to_outcome(lane, self.0, stop).boxed()
    }
}

async fn run_to_outcome(lane: Arc<Lane>, turn_id: TurnId, stop: StopSignal) {
    let task = TurnTask {
        lane,
        turn_id,
        stop,
    };
    // A panic in a provider or a tool ends this turn with an error and nothing else. Boxed, since it is too large for a stack.
    let run = Box::pin(AssertUnwindSafe(run(&task)).catch_unwind()).await;
    let defect = |_| Err(SessionError::Internal("a defect; see the log".to_owned()));
    let end = match run.unwrap_or_else(defect) {
        Ok(TurnExit::Closed) => return,
        Ok(TurnExit::Parked) => return task.park().await,
        Ok(TurnExit::Open(end)) => end,
        Err(error) => task.failed(error.turn_error()),
    };
    task.close(end).await;
}

async fn run(task: &TurnTask) -> Result<TurnExit, SessionError> {
    loop {
        let has_waited = task.waits_for_limit();
        if let Some(exit) = task.wait_on().await? {
            return Ok(exit);
        }
        // After a wait as well: hours later key, price and limits may be others, and another model
        // ends a wait.
        let known = task.lane.known_guidance().await?;
        let prepared = tokio::select! {
            biased;
            exit = task.left() => return Ok(exit),
            prepared = task.lane.prepare(known.clone()) => prepared?,
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Ok(task.failed(error).into()),
        };
        let engine = match prepared.backend {
            TurnBackend::Engine(engine) => engine,
            TurnBackend::Runner(runner) => {
                return task.drive_runner(runner, prepared.notices).await;
            }
        };
        task.announce(prepared.notices).await?;
        let mut ports = engine.ports;
        ports.system = task.tell_model(known, engine.guidance).await?;
        let driven = task.drive(ports, engine.compaction, task.progress(), has_waited);
        if let Some(exit) = driven.await? {
            return Ok(exit);
        }
    }
}
