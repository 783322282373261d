//! `restoreFiles` and `previewRestore`.

use std::sync::Arc;

use scorel_journal::RecordPosition;
use scorel_proto::{
    EventId, FailedFile, FilesRestoreBody, FilesRestoredBody, OnConflict, OpenRestore,
    PersistentBody, PersistentEvent, RestoreEntry, RestoreFilesResult, RestoreScope, Seq,
};

use super::mutate::Mutation;
use super::read::decoded;
use super::restore_plan::RestorePlan;
use super::send::is_busy;
use super::{EventDraft, Job, Lane, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// How often a restore is planned anew because records came in between. They come one by one, from
/// clients, while the session is idle.
const MAX_PLANS: usize = 16;

/// The parameters of `restoreFiles`.
#[derive(Debug, Clone, Copy)]
pub struct RestoreRequest {
    pub before_event_id: EventId,
    pub scope: RestoreScope,
    pub on_conflict: OnConflict,
}

/// One attempt to begin a restore.
#[derive(Debug)]
struct BeginRestore {
    command: MutationCommand,
    request: RestoreRequest,
    /// Made after the first attempt, so that a session that is busy reads nothing.
    plan: Option<RestorePlan>,
}

enum RestoreStep {
    /// It was carried out before, or is being carried out; the seq of its record.
    Repeated(Seq),
    NeedsPlan,
    Begun(Box<PersistentEvent>),
}

impl Mutation for BeginRestore {
    type Reply = RestoreStep;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done().map(RestoreStep::Repeated)
    }

    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        match is_busy(section) {
            true => Err(section.busy()),
            false => Ok(()),
        }
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let Some(plan) = self.plan.filter(|plan| plan.is_current(section)) else {
            return Ok(RestoreStep::NeedsPlan);
        };
        let body = PersistentBody::FilesRestore(FilesRestoreBody {
            before_event_id: self.request.before_event_id,
            scope: self.request.scope,
            files: plan.files,
        });
        let draft = EventDraft::new(body).by(&self.command);
        let begun = section.begin_restore(draft)?;
        Ok(RestoreStep::Begun(Box::new(begun)))
    }
}

impl Lane {
    /// What a restore would do with each file.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn preview_restore(
        self: &Arc<Self>,
        before: EventId,
        scope: RestoreScope,
    ) -> Result<Vec<RestoreEntry>, SessionError> {
        self.published().check_exists()?;
        let from = self.seq_of(before).await?;
        Ok(self.plan_restore(from, scope).await?.entries)
    }

    /// Restores files, and returns when that is done. It goes on if the caller is dropped.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then.
    pub async fn restore_files(
        self: &Arc<Self>,
        command: MutationCommand,
        request: RestoreRequest,
    ) -> Result<RestoreFilesResult, SessionError> {
        let mut plan = None;
        for _ in 0..=MAX_PLANS {
            let attempt = BeginRestore {
                command: command.clone(),
                request,
                plan: plan.take(),
            };
            match self.mutate(attempt).await? {
                RestoreStep::Begun(event) => return self.restored(&event).await,
                RestoreStep::Repeated(seq) => return self.restored_before(seq).await,
                RestoreStep::NeedsPlan => {
                    let RestoreRequest {
                        before_event_id,
                        scope,
                        on_conflict,
                    } = request;
                    let from = self.seq_of(before_event_id).await?;
                    plan = Some(self.prepare_restore(from, scope, on_conflict).await?);
                }
            }
        }
        let text = "other clients change the session all the time";
        Err(SessionError::Conflict(text.to_owned()))
    }

    async fn restored_before(
        self: &Arc<Self>,
        seq: Seq,
    ) -> Result<RestoreFilesResult, SessionError> {
        let event = self.record(seq).await?;
        self.restored(&event).await
    }

    /// Waits for the end of the restore that `event` records.
    async fn restored(
        self: &Arc<Self>,
        event: &PersistentEvent,
    ) -> Result<RestoreFilesResult, SessionError> {
        let files = event.body.restored_files().map_or(0, <[_]>::len);
        let failed = match files {
            0 => Vec::new(),
            _ => {
                self.restore_ended(event.id).await?;
                self.failed_files(event).await?
            }
        };
        Ok(RestoreFilesResult {
            seq: event.seq,
            event_id: event.id,
            restored: files.saturating_sub(failed.len()) as u64,
            failed,
        })
    }

    async fn restore_ended(self: &Arc<Self>, id: EventId) -> Result<(), SessionError> {
        loop {
            // Enabled before the check: an end between the two would be missed.
            let restored = self.restored.notified();
            tokio::pin!(restored);
            restored.as_mut().enable();
            if !self.view(|view| view.state.restore.is_some_and(|open| open.event_id == id)) {
                return Ok(());
            }
            if !self.has_job() {
                let text =
                    "the restore was interrupted; it goes on when the session is loaded again";
                return Err(SessionError::Stalled(text.to_owned()));
            }
            restored.await;
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

    async fn record(self: &Arc<Self>, seq: Seq) -> Result<PersistentEvent, SessionError> {
        let place = self.published().place_of(seq);
        let missing = || SessionError::Filesystem(format!("record {seq} cannot be read"));
        self.record_at(place.ok_or_else(missing)?).await
    }

    async fn record_at(
        self: &Arc<Self>,
        place: RecordPosition,
    ) -> Result<PersistentEvent, SessionError> {
        let lines = self.read_lines(vec![place]).await?;
        let damaged = "a record about restored files is damaged";
        let line = lines.first();
        decoded(line.ok_or_else(|| SessionError::Filesystem(damaged.to_owned()))?)
    }

    /// The record that a restore carries out.
    pub(crate) async fn restore_record(
        self: &Arc<Self>,
        open: OpenRestore,
    ) -> Result<PersistentEvent, SessionError> {
        self.record(open.seq).await
    }
}

impl Section<'_> {
    /// Commits the record of a restore (`files_restore`, `rewind` or `branch`) and starts the job that
    /// carries it out, if it names files.
    ///
    /// Everything in the record was planned when nothing else ran, and the plan is current.
    pub(super) fn begin_restore(
        &mut self,
        draft: EventDraft,
    ) -> Result<PersistentEvent, SessionError> {
        // Durably, before the record: the next daemon loads only the sessions on the list, and would
        // leave the files half restored.
        self.enter_active()?;
        let event = self.commit(draft)?;
        let open = self.view().state.restore;
        match open {
            Some(open) => self.begin_job(Job::Restore(open)),
            None => self.announce(),
        }
        Ok(event)
    }

    /// Records the end of the running restore, and goes on with the queue.
    pub(crate) fn end_restore(&mut self, body: FilesRestoredBody) -> Result<(), SessionError> {
        self.end_job(|section| {
            let draft = EventDraft::new(PersistentBody::FilesRestored(body));
            section.commit(draft).map(drop)
        })?;
        self.go_on();
        self.job_closed();
        self.announce();
        self.checkpoint_if_due();
        self.lane.restored.notify_waiters();
        Ok(())
    }
}
