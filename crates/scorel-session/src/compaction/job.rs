//! The task of a compaction that a user asked for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use scorel_engine::{Spent, StopCause, StopSignal};
use scorel_proto::{CompactionId, CompactionState, CompactionTrigger, TurnError};

use super::{Compaction, CompactionEnd, CompactionOrder};
use crate::SessionError;
use crate::lane::{CompactionResult, Lane, Section};

/// Runs the compaction that the lane has recorded, and records how it ended.
pub(crate) async fn run(lane: Arc<Lane>, id: CompactionId, stop: StopSignal) {
    let mut spent = Spent::default();
    let compaction = AssertUnwindSafe(compact(&lane, id, &stop, &mut spent));
    let defect = |_| Err(SessionError::Internal("a defect; see the log".to_owned()));
    let end = match compaction.catch_unwind().await.unwrap_or_else(defect) {
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
    let result = result(id, end, spent);
    let closed = lane.persist(move |section| close(section, &result));
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
        instructions: lane.compaction_instructions(),
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

/// One section: no client may see the end while the first message of the queue has not started, or
/// it would take the session for idle.
fn close(section: &mut Section<'_>, result: &CompactionResult) -> Result<(), SessionError> {
    section.end_job(|section| section.end_compaction(None, result))?;
    section.go_on();
    section.job_closed();
    section.announce();
    section.checkpoint_if_due();
    Ok(())
}
