//! The task of a compaction that a user asked for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::{Spent, StopCause, StopSignal};
use scorel_proto::{CompactionId, CompactionState, CompactionTrigger, TurnError};

use super::record::{CompactionResult, end};
use super::{Compaction, CompactionEnd, CompactionOrder};
use crate::SessionError;
use crate::lane::{Job, JobName, Lane};

/// A compaction that is recorded.
#[derive(Debug)]
pub(super) struct CompactionJob(pub(super) CompactionId);

impl Job for CompactionJob {
    fn name(&self) -> JobName {
        JobName::Compaction(self.0)
    }

    fn run(self: Box<Self>, lane: Arc<Lane>, stop: StopSignal) -> BoxFuture<'static, ()> {
        run(lane, self.0, stop).boxed()
    }
}

/// Runs the compaction, and records how it ended.
async fn run(lane: Arc<Lane>, id: CompactionId, stop: StopSignal) {
    let mut spent = Spent::default();
    let compaction = AssertUnwindSafe(compact(&lane, id, &stop, &mut spent));
    let defect = |_| Err(SessionError::Internal("a defect; see the log".to_owned()));
    let ended = match compaction.catch_unwind().await.unwrap_or_else(defect) {
        Ok(end) => end,
        Err(error) => CompactionEnd::Failed(TurnError {
            resets_at: None,
            sizes: None,
            code: error.code().name().to_owned(),
            message: error.to_string(),
            retryable: error.code().retryable(),
            hint: None,
        }),
    };
    let result = result(id, ended, spent);
    let closed =
        lane.persist(move |section| section.close_job(|section| end(section, None, &result)));
    if let Err(error) = closed.await {
        tracing::error!(session = %lane.id(), %error, "the compaction has no end");
        lane.abandon_job();
    }
}

/// The record of how a compaction ended.
pub(crate) fn result(id: CompactionId, end: CompactionEnd, spent: Spent) -> CompactionResult {
    let state = match end {
        CompactionEnd::Made(body) => return CompactionResult::Made(Box::new(body)),
        CompactionEnd::Failed(error) => {
            return CompactionResult::ended(id, CompactionState::Failed, Some(error), spent);
        }
        CompactionEnd::Stopped(StopCause::Interrupted) => CompactionState::Interrupted,
        CompactionEnd::Stopped(StopCause::Cancelled | StopCause::TimeUp) => {
            CompactionState::Cancelled
        }
    };
    CompactionResult::ended(id, state, None, spent)
}

async fn compact(
    lane: &Arc<Lane>,
    id: CompactionId,
    stop: &StopSignal,
    spent: &mut Spent,
) -> Result<CompactionEnd, SessionError> {
    let prepared = tokio::select! {
        biased;
        cause = stop.fired() => return Ok(CompactionEnd::Stopped(cause)),
        prepared = lane.prepare_outside_turn() => prepared?,
    };
    let (ports, setup) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(CompactionEnd::Failed(error)),
    };
    let compaction = Compaction {
        lane: Arc::clone(lane),
        ports,
        setup,
        stop: stop.clone(),
        turn_id: None,
        instructions: lane.view(|view| view.state.compaction.as_ref()?.instructions.clone()),
    };
    let order = CompactionOrder {
        id,
        trigger: CompactionTrigger::Manual,
    };
    let Some(plan) = compaction.plan().await? else {
        let nothing = SessionError::NothingToCompact;
        return Err(nothing);
    };
    Ok(compaction.run(plan, &order, spent).await)
}
