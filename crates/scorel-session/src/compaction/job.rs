//! The task of a compaction that a user asked for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::{Spent, StopCause, StopSignal};
use scorel_proto::{CompactionId, CompactionState, CompactionTrigger, PersistentBody};

use super::record::without_summary;
use super::{Compaction, CompactionEnd};
use crate::SessionError;
use crate::hook_points::{HookPoints, Passage};
use crate::lane::{EventDraft, Job, JobName, Lane};

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
    let ended = compaction.catch_unwind().await.unwrap_or_else(defect);
    let ended = ended.unwrap_or_else(|error| CompactionEnd::Failed(error.turn_error()));
    let body = end_body(id, ended, &spent);
    let closed = lane.persist(move |section| {
        section.close_job(|section| section.commit(EventDraft::new(body.clone())).map(drop))
    });
    if let Err(error) = closed.await {
        tracing::error!(session = %lane.id(), %error, "the compaction has no end");
        lane.abandon_job();
    }
}

/// The record of how a compaction ended.
pub(crate) fn end_body(id: CompactionId, end: CompactionEnd, spent: &Spent) -> PersistentBody {
    let (state, error) = match end {
        CompactionEnd::Made(body) => return PersistentBody::Compact(body),
        CompactionEnd::Failed(error) => (CompactionState::Failed, Some(error)),
        CompactionEnd::Stopped(StopCause::Interrupted) => (CompactionState::Interrupted, None),
        CompactionEnd::Stopped(StopCause::Cancelled | StopCause::TimeUp) => {
            (CompactionState::Cancelled, None)
        }
    };
    without_summary(id, state, error, spent)
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
    let instructions = lane.view(|view| view.state.compaction.as_ref()?.instructions.clone());
    let mut hooks = HookPoints::new(lane, &ports.hooks, stop, None);
    match hooks.before_summary(instructions.clone()).await? {
        Passage::Ends(Some(error)) => return Ok(CompactionEnd::Failed(error)),
        Passage::Stopped => {
            let cause = stop.cause().unwrap_or(StopCause::Interrupted);
            return Ok(CompactionEnd::Stopped(cause));
        }
        Passage::Passed { .. } | Passage::GoesOn | Passage::Ends(None) => {}
    }
    let compaction = Compaction {
        lane: Arc::clone(lane),
        ports,
        setup,
        stop: stop.clone(),
        turn_id: None,
        instructions,
        trigger: CompactionTrigger::Manual,
    };
    match compaction.plan().await? {
        Some(plan) => Ok(compaction.run(plan, id, spent).await),
        None => Err(SessionError::NothingToCompact),
    }
}
