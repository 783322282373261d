//! What a restore of files does, found out without the lane: it takes reading the log and the files.

use std::sync::Arc;

use scorel_proto::{
    ChangedBy, EventId, FileChange, FileHistory, FilePath, OnConflict, PersistentBody,
    PersistentEvent, RestoreAction, RestoreEntry, RestoreScope, Seq, UnwatchedCalls,
};

use crate::lane::{Lane, Section, decoded, event_id};
use crate::{SessionError, TargetProblem, blocking};

/// A planned restore. Valid until the next record.
#[derive(Debug, Clone)]
pub(crate) struct RestorePlan {
    /// Every file that was changed, by path.
    pub(crate) entries: Vec<RestoreEntry>,
    /// The files that are written or deleted.
    pub(crate) files: Vec<FileChange>,
    /// The calls of whose changes nothing is known.
    pub(crate) unwatched: Option<UnwatchedCalls>,
    /// The last record that was read.
    read_through: Seq,
}

impl RestorePlan {
    /// Returns whether nothing was recorded since it was made.
    pub(super) fn is_current(&self, section: &Section<'_>) -> bool {
        section.view().state.last_persistent_seq == self.read_through
    }

    fn check(&self, on_conflict: OnConflict) -> Result<(), SessionError> {
        let entries = self.entries.iter();
        let conflicts = entries.filter(|entry| entry.action == RestoreAction::Conflict);
        let paths: Vec<FilePath> = conflicts.map(|entry| entry.path.clone()).collect();
        if paths.is_empty() || on_conflict == OnConflict::Skip {
            return Ok(());
        }
        Err(SessionError::FilesConflict { paths })
    }
}

impl Lane {
    /// What giving files the state that they had before the record `from` would do. Changes nothing.
    ///
    /// # Errors
    ///
    /// The log or the project's directory cannot be read.
    pub(crate) async fn plan_restore(
        self: &Arc<Self>,
        from: Seq,
        scope: RestoreScope,
    ) -> Result<RestorePlan, SessionError> {
        let lane = Arc::clone(self);
        blocking(move || lane.find_restore(from, scope)).await?
    }

    /// As [`Lane::plan_restore`], for a restore that will be carried out: keeps the current contents of
    /// the files, so that it can be undone.
    ///
    /// # Errors
    ///
    /// As [`Lane::plan_restore`], or [`SessionError::FilesConflict`] if a file is in conflict and that is
    /// to be refused.
    pub(crate) async fn prepare_restore(
        self: &Arc<Self>,
        from: Seq,
        scope: RestoreScope,
        on_conflict: OnConflict,
    ) -> Result<RestorePlan, SessionError> {
        let lane = Arc::clone(self);
        let planned = blocking(move || {
            let plan = lane.find_restore(from, scope)?;
            plan.check(on_conflict)?;
            if !plan.files.is_empty() {
                let kept = lane.recorder()?.keep_current(&plan.files);
                kept.map_err(|error| {
                    SessionError::Filesystem(format!(
                        "the files as they are now cannot be kept: {error}"
                    ))
                })?;
            }
            Ok(plan)
        });
        planned.await?
    }

    /// The seq of a record.
    ///
    /// # Errors
    ///
    /// [`SessionError::InvalidEvent`] if there is none with this id.
    pub(crate) async fn seq_of(self: &Arc<Self>, id: EventId) -> Result<Seq, SessionError> {
        let lane = Arc::clone(self);
        let known = self.published().view().tree.seq_of(id);
        match known {
            Some(seq) => Ok(seq),
            None => blocking(move || lane.find_record(id)).await?,
        }
    }

    /// The first seq after `target`, the last event of a finished turn or one outside a turn; for a
    /// turn, the first seq after its outcome. `None` is the beginning of the session.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub(crate) async fn seq_after(
        self: &Arc<Self>,
        target: Option<EventId>,
    ) -> Result<Seq, SessionError> {
        let Some(target) = target else {
            return Ok(Seq::ZERO.next());
        };
        let seq = self.seq_of(target).await?;
        let lane = Arc::clone(self);
        blocking(move || lane.find_end(seq)).await?
    }

    fn find_end(&self, target: Seq) -> Result<Seq, SessionError> {
        let places = self.published().places_after(target.previous()).to_vec();
        let mut turn = None;
        for place in places {
            let Some(line) = self.read_intact(place)? else {
                continue;
            };
            let Ok(event) = decoded(&line) else { continue };
            if place.seq == target {
                turn = event.turn_id;
            }
            let is_end = turn.is_none() || matches!(event.body, PersistentBody::TurnOutcome(_));
            if is_end && event.turn_id == turn {
                return Ok(place.seq.next());
            }
        }
        Ok(target.next())
    }

    /// Looks for a record that is not in the tree, the newest first: undoing a recent step asks
    /// for it.
    fn find_record(&self, id: EventId) -> Result<Seq, SessionError> {
        let places = self.published().places_after(Seq::ZERO).to_vec();
        for place in places.into_iter().rev() {
            let line = self.read_intact(place)?;
            if line.is_some_and(|line| event_id(&line) == Some(id)) {
                return Ok(place.seq);
            }
        }
        Err(SessionError::InvalidTarget {
            event_id: Some(id),
            problem: TargetProblem::Unknown,
        })
    }

    fn find_restore(&self, from: Seq, scope: RestoreScope) -> Result<RestorePlan, SessionError> {
        let read_through = self.published().view().state.last_persistent_seq;
        let mut history = FileHistory::default();
        let end = read_through.next();
        let unwatched = self.read_files(from, end, |event| history.apply(event))?;
        let recorder = self.recorder()?;
        let (mut entries, mut files) = (Vec::new(), Vec::new());
        for (path, file) in history.files() {
            if file.watched && scope == RestoreScope::Tools {
                continue;
            }
            let (action, now) = recorder.action(path, file);
            if matches!(action, RestoreAction::Write | RestoreAction::Delete) {
                files.push(FileChange {
                    path: path.clone(),
                    before: now,
                    after: file.before.clone(),
                    by: ChangedBy::Restore,
                });
            }
            entries.push(RestoreEntry {
                path: path.clone(),
                action,
            });
        }
        Ok(RestorePlan {
            entries,
            files,
            unwatched,
            read_through,
        })
    }

    /// The calls from a record on, and before another, of whose changes nothing is known.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub(crate) async fn unwatched(
        self: &Arc<Self>,
        from: Seq,
        end: Seq,
    ) -> Result<Option<UnwatchedCalls>, SessionError> {
        let lane = Arc::clone(self);
        let found = blocking(move || lane.read_files(from, end, |_| {}));
        found.await?
    }

    /// Reads the log from `from` to before `end`, one record at a time.
    fn read_files(
        &self,
        from: Seq,
        end: Seq,
        mut each: impl FnMut(&PersistentEvent),
    ) -> Result<Option<UnwatchedCalls>, SessionError> {
        let places = self.published().places_after(from.previous()).to_vec();
        let mut unwatched = None;
        for place in places.into_iter().filter(|place| place.seq < end) {
            // A record that damage hides is gone, and what it said about files with it.
            let Some(line) = self.read_intact(place)? else {
                continue;
            };
            if let Ok(event) = decoded(&line) {
                // A record that a clone copied is about another session's files.
                let reason = event.body.unwatched().filter(|_| event.origin.is_none());
                if let Some(reason) = reason {
                    UnwatchedCalls::add(&mut unwatched, reason);
                }
                each(&event);
            }
        }
        Ok(unwatched)
    }
}
