use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{Prerequisite, StopCause, StopSignal, TurnEnd, TurnProgress};
use scorel_proto::{OutcomeReason, PersistentBody, TurnError, TurnId};
use tokio::time::timeout;

use super::exit::TurnExit;
use crate::SessionError;
use crate::lane::{EventDraft, Lane, Section};

/// The time after which a wait is told in the session's `problem`. A usual login shell takes less.
const UNNOTICED: Duration = Duration::from_secs(1);

/// One turn while its task runs.
#[derive(Debug, Clone)]
pub(super) struct TurnTask {
    pub(super) lane: Arc<Lane>,
    pub(super) turn_id: TurnId,
    pub(super) stop: StopSignal,
}

impl TurnTask {
    /// What the turn has done so far, folded from its records. Empty, unless an earlier daemon began
    /// the turn.
    pub(super) fn progress(&self) -> TurnProgress {
        self.lane.view(|view| {
            let fold = &view.state;
            let turn = fold.turn.as_ref();
            turn.map_or_else(TurnProgress::default, |turn| TurnProgress {
                usage: turn.usage,
                cost: turn.cost,
                steps: turn.steps,
                waits: turn.waits,
                elapsed: Duration::from_millis(turn.elapsed_ms(fold.updated_at)),
            })
        })
    }

    /// Commits an event of the turn; waits for a log that cannot be written.
    pub(super) async fn commit(&self, body: PersistentBody) -> Result<(), SessionError> {
        let draft = EventDraft::new(body).in_turn(self.turn_id);
        self.lane.persist_event(draft).await
    }

    /// As [`TurnTask::commit`], for a change that listings show.
    pub(super) async fn commit_and_announce(
        &self,
        body: PersistentBody,
    ) -> Result<(), SessionError> {
        let draft = EventDraft::new(body).in_turn(self.turn_id);
        let commit = move |section: &mut Section<'_>| section.commit_and_announce(draft.clone());
        self.lane.persist(commit).await.map(drop)
    }

    /// Waits while too many files are open, unless the turn is to stop. Before each model call and
    /// each tool: a connection or a file that cannot be opened would cost the turn.
    pub(super) async fn wait_for_descriptors(&self) {
        tokio::select! {
            biased;
            _ = self.stop.gives_up() => {}
            () = self.lane.wait_for_descriptors() => {}
        }
    }

    /// Waits for what tool calls need, unless the turn is to stop or to park. No call has begun.
    pub(super) async fn wait_for(&self, prerequisite: Prerequisite) {
        let Prerequisite { mut ready, reason } = prerequisite;
        let waited = async {
            if timeout(UNNOTICED, &mut ready).await.is_err() {
                let wait = self.lane.publish_wait(reason()).await;
                ready.await;
                wait.end().await;
            }
        };
        tokio::select! {
            biased;
            _ = self.stop.gives_up() => {}
            () = waited => {}
        }
    }

    /// Completes when a turn that has nothing under way must be left.
    pub(super) async fn left(&self) -> TurnExit {
        tokio::select! {
            biased;
            cause = self.stop.fired() => self.stopped(cause).into(),
            () = self.stop.parking() => TurnExit::Parked,
        }
    }

    /// The end of a turn that was stopped outside the engine.
    pub(super) fn stopped(&self, cause: StopCause) -> TurnEnd {
        self.ended(cause.outcome(), None)
    }

    /// The end of a turn that failed outside the engine.
    pub(super) fn failed(&self, error: TurnError) -> TurnEnd {
        self.ended(OutcomeReason::Error, Some(error))
    }

    pub(super) fn ended(&self, reason: OutcomeReason, error: Option<TurnError>) -> TurnEnd {
        let progress = self.progress();
        TurnEnd {
            reason,
            error,
            usage: progress.usage,
            cost: progress.cost,
            steps: progress.steps,
        }
    }
}
