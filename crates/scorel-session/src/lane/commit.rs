//! The commit path: assign seq, append, sync, fold, publish.
//!
//! A record is appended and synced before it is folded, and folded before it is published: no client
//! sees an event that a crash could take back, and a client that reacts to an event finds it in the
//! state.
//! A transient event is spooled before it is published, so that a crash does not take back text that
//! was read.

use std::sync::Arc;

use bytes::Bytes;
use scorel_journal::{AppendError, Appended, Journal};
use scorel_proto::{
    ClientId, EndReason, ErrorChain, PersistentBody, PersistentEvent, Seq, SeqReserveBody,
    TransientBody, TransientEvent, TreePlacement, TurnId, UnsavedRecord,
};

use super::queue::encoded_len;
use super::{EventDraft, JobName, Lane, Section};
use crate::SessionError;

impl Lane {
    /// Publishes a transient event of the running turn.
    pub(crate) async fn show(
        self: &Arc<Self>,
        turn_id: TurnId,
        body: TransientBody,
    ) -> Result<(), SessionError> {
        // Deltas come by the thousand. Their spool write is unsynced and goes to the page cache, so
        // it stays on this thread: a hop to a blocking thread would cost more than the delta. Only
        // the rare record that reserves more seqs is synced and needs a section.
        let body = match self.lock().await.section().try_show(Some(turn_id), body) {
            None => return Ok(()),
            Some(body) => body,
        };
        self.persist(move |section| section.show(turn_id, body.clone()))
            .await
    }

    /// Publishes the progress of a job. Lost if no seq is left for it: it is worth no record.
    pub(crate) async fn show_progress(self: &Arc<Self>, body: TransientBody) {
        let _lost = self.lock().await.section().try_show(None, body);
    }
}

impl Section<'_> {
    /// Commits an event: it is in the log, folded and shown when this returns. After an error nothing of it
    /// exists.
    ///
    /// # Errors
    ///
    /// [`SessionError::Stalled`] if the log cannot be written now, [`SessionError::TooLarge`], or what keeps
    /// the session from being changed at all.
    pub fn commit(&mut self, draft: EventDraft) -> Result<PersistentEvent, SessionError> {
        self.check_usable()?;
        self.append_and_publish(draft)
    }

    /// As [`Section::commit`], for the first record of a job, which [`Section::begin_job`] runs next. A client
    /// that has seen the record can cancel the job.
    ///
    /// # Errors
    ///
    /// As [`Section::commit`].
    pub fn commit_first(
        &mut self,
        draft: EventDraft,
        job: JobName,
    ) -> Result<PersistentEvent, SessionError> {
        self.check_usable()?;
        let (event, record) = self.append(draft)?;
        self.publish(&event, &record, Some(job));
        Ok(event)
    }

    /// As [`Section::commit`], for a change that listings show.
    pub(crate) fn commit_and_announce(
        &mut self,
        draft: EventDraft,
    ) -> Result<PersistentEvent, SessionError> {
        let event = self.commit(draft)?;
        self.announce();
        Ok(event)
    }

    /// Commits the one record that may be written while there is damage: that it was accepted.
    pub(super) fn commit_despite_damage(
        &mut self,
        draft: EventDraft,
    ) -> Result<PersistentEvent, SessionError> {
        self.published()
            .state()
            .health
            .check_usable_despite_damage()?;
        self.append_and_publish(draft)
    }

    fn append_and_publish(&mut self, draft: EventDraft) -> Result<PersistentEvent, SessionError> {
        let (event, record) = self.append(draft)?;
        self.publish(&event, &record, None);
        Ok(event)
    }

    /// Commits an event and publishes `shown` right before it. After an error neither was
    /// published, so that a retry repeats nothing.
    pub(crate) fn commit_behind(
        &mut self,
        turn_id: TurnId,
        shown: TransientBody,
        draft: EventDraft,
    ) -> Result<(), SessionError> {
        self.check_usable()?;
        let seq = self.transient_seq(turn_id)?;
        let shown = self.transient(seq, Some(turn_id), shown);
        let (event, record) = self.append(draft)?;
        self.publish_transient(&shown);
        self.publish(&event, &record, None);
        Ok(())
    }

    /// Publishes a transient event. May append a `seq_reserve` record first and then waits for the
    /// disk; [`Lane::show`] avoids that where it can.
    pub(crate) fn show(
        &mut self,
        turn_id: TurnId,
        body: TransientBody,
    ) -> Result<(), SessionError> {
        let seq = self.transient_seq(turn_id)?;
        self.publish_transient(&self.transient(seq, Some(turn_id), body));
        Ok(())
    }

    /// Publishes a transient event, or gives it back if no seq is left for it.
    fn try_show(&mut self, turn_id: Option<TurnId>, body: TransientBody) -> Option<TransientBody> {
        let journal = self.state.log.writable();
        let Some(seq) = journal.and_then(|journal| journal.next_transient().ok()) else {
            return Some(body);
        };
        self.publish_transient(&self.transient(seq, turn_id, body));
        None
    }

    fn append(&mut self, draft: EventDraft) -> Result<(PersistentEvent, Appended), SessionError> {
        let ready = self.lane.shared.catalog.before_record();
        ready.map_err(|error| self.not_ready(&error))?;
        let mut event = self.event(draft);
        let mut append = |journal: &mut Journal| {
            journal.append(|seq| {
                event.seq = seq;
                serde_json::to_vec(&event)
            })
        };
        let mut appended = append(self.journal()?);
        if matches!(appended, Err(AppendError::Failed(_))) && self.move_to_copy()? {
            appended = append(self.journal()?);
        }
        match appended {
            Ok(record) => {
                if self.state.lost.take().is_some() {
                    self.lane
                        .shared
                        .catalog
                        .forget_saved_log_bytes(self.lane.id());
                }
                event.prev = Some(record.prev());
                self.state.spool.recorded(event.id, &event.body);
                Ok((event, record))
            }
            Err(error) => {
                self.state.unsaved = Some(UnsavedRecord {
                    kind: event.body.type_name().to_owned(),
                    bytes: encoded_len(&event) as u64,
                });
                Err(self.append_failed(error))
            }
        }
    }

    /// The journal, for appending.
    pub(crate) fn journal(&mut self) -> Result<&mut Journal, SessionError> {
        let session_id = self.lane.id();
        self.state
            .log
            .writable()
            .ok_or_else(|| SessionError::Failed {
                session_id,
                reason: "the log can only be read".to_owned(),
            })
    }

    /// Continues in a copy of the log. After a failed sync the kernel may drop the dirty pages and
    /// report success next time, so what the old file holds is unknown and syncing it again proves
    /// nothing. The copy is made from verified, published records.
    ///
    /// On a file system that is full or has become read-only the next append tries again.
    fn move_to_copy(&mut self) -> Result<bool, SessionError> {
        let Some(copied) = self.state.log.writable().map(Journal::recover_by_copy) else {
            return Ok(false);
        };
        match copied {
            Ok(()) => {
                tracing::warn!(session = %self.lane.id(), "the log was moved to a copy of itself");
                Ok(true)
            }
            Err(error) if error.may_pass() => {
                Err(SessionError::Stalled(ErrorChain(&error).to_string()))
            }
            Err(error) => {
                tracing::error!(session = %self.lane.id(), %error, "the log could not be copied");
                Ok(false)
            }
        }
    }

    /// A full disk passes. Any other error leaves the file in doubt, and the session fails.
    fn append_failed(&mut self, error: AppendError) -> SessionError {
        if !matches!(error, AppendError::Failed(_) | AppendError::Foreign(_)) {
            return error.into();
        }
        let reason = ErrorChain(&error).to_string();
        tracing::error!(session = %self.lane.id(), %reason, "the log cannot be written any more");
        let failure = SessionError::Failed {
            session_id: self.lane.id(),
            reason: reason.clone(),
        };
        self.fail(reason);
        self.announce();
        self.lane.feed.end(EndReason::Failed);
        failure
    }

    /// Folds and publishes a record, in one step for those who read both, and tells the features. `Appended`
    /// proves that it is in the log. The job that it begins takes cancels before a client can see the record.
    fn publish(&mut self, event: &PersistentEvent, record: &Appended, begins: Option<JobName>) {
        let lane = self.lane;
        self.publish_change(|state| {
            state.fold.committed(record.place(), event);
            if let Some(job) = begins.filter(|_| state.fold.view.state.has_job()) {
                lane.job.begin(job);
            }
            let windows = &lane.shared.windows;
            windows.apply(lane.id(), event, record.line().len());
            lane.feed.publish(record);
        });
        for feature in &lane.seams.features {
            feature.committed(self, event);
        }
    }

    fn publish_transient(&mut self, event: &TransientEvent) {
        if let Some(turn_id) = event.turn_id {
            self.state.spool.note(turn_id, &event.body);
        }
        let json = serde_json::to_vec(event).expect("an event has only string keys");
        let feed = &self.lane.feed;
        self.publish_change(|state| {
            state.fold.view.apply_transient(event);
            feed.publish_transient(event.seq, event.body.is_delta(), Bytes::from(json));
        });
    }

    /// The next seq for a transient event. Transients use seqs that the last record reserved; a
    /// `seq_reserve` record extends the reservation when it is used up.
    fn transient_seq(&mut self, turn_id: TurnId) -> Result<Seq, SessionError> {
        if let Ok(seq) = self.journal()?.next_transient() {
            return Ok(seq);
        }
        let reserve = PersistentBody::SeqReserve(SeqReserveBody {});
        self.commit(EventDraft::new(reserve).in_turn(turn_id))?;
        let seq = self.journal()?.next_transient();
        seq.map_err(|error| SessionError::Internal(error.to_string()))
    }

    /// Reserves seqs for the progress of a job that the last daemon began, whose record has none left.
    pub(crate) fn reserve_for_progress(&mut self) -> Result<(), SessionError> {
        let reserve = PersistentBody::SeqReserve(SeqReserveBody {});
        self.commit(EventDraft::new(reserve)).map(drop)
    }

    fn event(&self, draft: EventDraft) -> PersistentEvent {
        let parent_id = match draft.body.place() {
            TreePlacement::Control => None,
            _ => draft.parent.unwrap_or_else(|| self.view().leaf()),
        };
        PersistentEvent {
            id: draft.id,
            parent_id,
            seq: Seq::ZERO,
            session_id: self.lane.id(),
            client_id: draft.client_id,
            ts: self.lane.now_ms(),
            turn_id: draft.turn_id,
            command_id: draft.command_id,
            digest: draft.digest,
            origin: None,
            body: draft.body,
            prev: None,
        }
    }

    fn transient(&self, seq: Seq, turn_id: Option<TurnId>, body: TransientBody) -> TransientEvent {
        TransientEvent {
            seq,
            session_id: self.lane.id(),
            client_id: ClientId::Daemon,
            ts: self.lane.now_ms(),
            turn_id,
            body,
        }
    }
}
