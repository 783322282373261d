//! `restoreFiles`, moves of the leaf that restore files, and `previewRestore`.

use std::sync::Arc;

use scorel_proto::{
    EventId, FailedFile, PersistentBody, PersistentEvent, PreviewRestoreResult, RestoreFilesResult,
    RestoreScope, Seq,
};

use super::begin::{
    BeginRestore, BegunRestore, MoveAndRestore, RestoreChoice, RestorePoint, RestoreStep,
};
use super::plan::RestorePlan;
use crate::lane::{Lane, MoveLeaf, Mutation};
use crate::{MutationCommand, SessionError};

/// How often a restore is planned anew because records came in between. They come one by one, from
/// clients, while the session is idle.
const MAX_PLANS: usize = 16;

impl Lane {
    /// What a restore would do with each file.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn preview_restore(
        self: &Arc<Self>,
        point: RestorePoint,
        scope: RestoreScope,
    ) -> Result<PreviewRestoreResult, SessionError> {
        self.published().check_exists()?;
        if let RestorePoint::After(target) = point {
            self.published().check_target(target)?;
        }
        let from = self.restore_from(point).await?;
        let plan = self.plan_restore(from, scope).await?;
        Ok(PreviewRestoreResult {
            files: plan.entries,
            unwatched: plan.unwatched,
        })
    }

    /// Begins to restore files. [`Lane::restored`] waits for the end.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then.
    pub async fn restore_files(
        self: &Arc<Self>,
        command: MutationCommand,
        before_event_id: EventId,
        choice: RestoreChoice,
    ) -> Result<BegunRestore, SessionError> {
        let attempt = |plan| BeginRestore {
            command: command.clone(),
            before_event_id,
            scope: choice.scope,
            plan,
        };
        let point = RestorePoint::Before(before_event_id);
        self.restore(point, choice, attempt).await
    }

    /// Moves the leaf and begins to restore files to their state after the turn that ends there.
    /// [`Lane::restored`] waits for the end.
    ///
    /// # Errors
    ///
    /// Those of [`MoveLeaf`] in their order, then
    /// [`SessionError::FilesConflict`]. Nothing has changed then.
    pub async fn move_and_restore(
        self: &Arc<Self>,
        leaf: MoveLeaf,
        choice: RestoreChoice,
    ) -> Result<BegunRestore, SessionError> {
        let attempt = |plan| MoveAndRestore {
            leaf: leaf.clone(),
            plan,
        };
        let point = RestorePoint::After(leaf.target.event());
        self.restore(point, choice, attempt).await
    }

    /// Makes a plan and attempts to begin with it, until nothing is recorded in between.
    async fn restore<M: Mutation<Reply = RestoreStep>>(
        self: &Arc<Self>,
        point: RestorePoint,
        choice: RestoreChoice,
        attempt: impl Fn(Option<RestorePlan>) -> M + Send + Sync,
    ) -> Result<BegunRestore, SessionError> {
        let mut plan = None;
        for _ in 0..=MAX_PLANS {
            match self.mutate(attempt(plan.take())).await? {
                RestoreStep::Begun(event) => {
                    let event = *event;
                    return Ok(BegunRestore { event, point });
                }
                RestoreStep::Repeated(seq) => {
                    let event = self.record(seq).await?;
                    return Ok(BegunRestore { event, point });
                }
                RestoreStep::NeedsPlan => {
                    let from = self.restore_from(point).await?;
                    let RestoreChoice { scope, on_conflict } = choice;
                    plan = Some(self.prepare_restore(from, scope, on_conflict).await?);
                }
            }
        }
        let text = "other clients change the session all the time";
        Err(SessionError::Conflict(text.to_owned()))
    }

    async fn restore_from(self: &Arc<Self>, point: RestorePoint) -> Result<Seq, SessionError> {
        match point {
            RestorePoint::Before(event) => self.seq_of(event).await,
            RestorePoint::After(target) => self.seq_after(target).await,
        }
    }

    /// Waits for the end of a restore.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the restore was interrupted: the next load carries it out.
    pub async fn restored(
        self: &Arc<Self>,
        BegunRestore { event, point }: BegunRestore,
    ) -> Result<RestoreFilesResult, SessionError> {
        let files = event.body.restored_files().map_or(0, <[_]>::len);
        let failed = match files {
            0 => Vec::new(),
            _ => {
                self.restore_ended(event.id).await?;
                self.failed_files(&event).await?
            }
        };
        let from = self.restore_from(point).await?;
        let unwatched = self.unwatched(from, event.seq).await?;
        Ok(RestoreFilesResult {
            seq: event.seq,
            event_id: event.id,
            restored: files.saturating_sub(failed.len()) as u64,
            failed,
            unwatched,
        })
    }

    async fn restore_ended(self: &Arc<Self>, id: EventId) -> Result<(), SessionError> {
        loop {
            // Enabled before the check: an end between the two would be missed.
            let ended = self.job_ended();
            tokio::pin!(ended);
            ended.as_mut().enable();
            // Looked at before the view, and also while the job's end is written: a job empties its slot
            // after its end is published.
            let has_job = self.is_occupied();
            if !self.view(|view| view.state.restore.is_some_and(|open| open.event_id == id)) {
                return Ok(());
            }
            if !has_job {
                let text =
                    "the restore was interrupted; it continues when the session is loaded again";
                return Err(SessionError::Stalled(text.to_owned()));
            }
            ended.await;
        }
    }

    /// The files that the restore of `event` could not restore. Its end is the next record, or one of the
    /// next.
    async fn failed_files(
        self: &Arc<Self>,
        event: &PersistentEvent,
    ) -> Result<Vec<FailedFile>, SessionError> {
        let places = self.published().places_after(event.seq).to_vec();
        for place in places {
            if let PersistentBody::FilesRestored(body) = self.record_at(place).await?.body
                && body.event_id == event.id
            {
                return Ok(body.failed);
            }
        }
        let text = "the end of the restore is not in the log";
        Err(SessionError::Filesystem(text.to_owned()))
    }
}
