//! Loading a session: its log is folded, and what a crash left open is closed.

use std::path::Path;
use std::sync::Arc;

use scorel_journal::{ContinueAt, Index, Journal, Opened, RecordRef, ResumePoint, Resumed};
use scorel_proto::{Event, SessionId, SessionView};

use super::damage::unaccepted;
use super::{Lane, LaneState};
use crate::checkpoint::Checkpoint;
use crate::receipts::Receipts;
use crate::recovery::recover;
use crate::shared::Shared;
use crate::spool::Spool;
use crate::{SessionError, SessionHeader};

/// What the records of a log fold into.
#[derive(Default)]
struct Fold {
    view: SessionView,
    index: Index,
    receipts: Receipts,
    /// The length of the log that the checkpoint covers, in bytes.
    checkpointed: u64,
}

impl Lane {
    /// Loads the session from its directory. Blocks on the disk.
    pub(crate) fn load(shared: Arc<Shared>, id: SessionId) -> Result<Arc<Self>, SessionError> {
        let dir = shared.session_dir(id);
        let (opened, fold) = open(&shared, &dir, id)?;
        let header = read_header(&opened, id)?;
        report(&opened, id);
        let damage = unaccepted(opened.report(), &fold.view.state.accepted_damage);
        let beyond = beyond_repair(&opened);
        // A hole may hide that a turn is open.
        let at = if fold.view.state.turn.is_some() || !damage.is_empty() {
            ContinueAt::Reserve
        } else {
            ContinueAt::LastRecord
        };
        let journal = opened.into_journal(at, shared.settings.durability);
        let state = LaneState {
            session_id: id,
            checkpointed: fold.checkpointed,
            journal,
            view: fold.view,
            index: fold.index,
            receipts: fold.receipts,
            spool: Spool::new(Arc::clone(&shared.storage), &dir),
            damage,
            failed: beyond,
            deleted: false,
            recovery_due: None,
            lift_pause: false,
        };
        let lane = Arc::new(Self::new(header, dir, state, shared));
        let mut state = lane
            .try_lock()
            .expect("nobody else has a lane that is being loaded");
        lane.wake(&mut state);
        drop(state);
        Ok(lane)
    }

    /// Closes an interrupted turn, and goes on with the queue. A log that cannot be written at the
    /// moment can be read all the same; what is due is done as soon as it can.
    pub(super) fn wake(self: &Arc<Self>, state: &mut LaneState) {
        match self.recover(state) {
            Err(SessionError::Stalled(_)) => {
                self.persist_later(Self::recover);
            }
            Err(error) => {
                tracing::error!(session = %self.id(), %error, "the session cannot go on");
                state.failed.get_or_insert_with(|| error.to_string());
            }
            Ok(()) => {}
        }
    }

    fn recover(self: &Arc<Self>, state: &mut LaneState) -> Result<(), SessionError> {
        state.recovery_due = None;
        if state.failed.is_some() || state.deleted || !state.damage.is_empty() {
            return Ok(());
        }
        let before = state.journal.end();
        let recovered = recover(self, state).and_then(|()| self.start_next(state));
        if let Err(SessionError::Stalled(reason)) = &recovered {
            state.recovery_due = Some(reason.clone());
        }
        if state.journal.end() != before {
            self.announce(state);
        }
        recovered
    }
}

/// Opens the log behind its checkpoint, or from the start if the checkpoint does not fit it.
fn open(shared: &Shared, dir: &Path, id: SessionId) -> Result<(Opened, Fold), SessionError> {
    if let Some(checkpoint) = Checkpoint::read(&*shared.storage, dir) {
        let Checkpoint {
            resume,
            view,
            index,
            receipts,
        } = checkpoint;
        let fold = Fold {
            view,
            index,
            receipts,
            // With its newline.
            checkpointed: resume.place().end() + 1,
        };
        let (opened, fold) = open_from(shared, dir, id, Some(resume), fold)?;
        if matches!(opened.report().resumed, Resumed::FromPoint) {
            return Ok((opened, fold));
        }
        tracing::warn!(session = %id, "the checkpoint does not fit the log and is ignored");
    }
    open_from(shared, dir, id, None, Fold::default())
}

fn open_from(
    shared: &Shared,
    dir: &Path,
    id: SessionId,
    resume: Option<ResumePoint>,
    mut fold: Fold,
) -> Result<(Opened, Fold), SessionError> {
    let storage = Arc::clone(&shared.storage);
    Journal::open(storage, dir, resume, &mut |record| fold.add(record))
        .map_err(|error| SessionError::open(id, &error))
        .map(|opened| (opened, fold))
}

impl Fold {
    fn add(&mut self, record: RecordRef<'_>) {
        let covered = self
            .index
            .last()
            .is_some_and(|last| last.seq >= record.place.seq);
        if covered {
            // The log does not fit the checkpoint; it is read again without it.
            return;
        }
        self.index.push(record.place);
        match Event::decode(record.line) {
            Ok(event) => {
                self.view.apply(&event);
                if let Event::Persistent(event) = &event {
                    self.receipts
                        .apply(event, self.view.state.queue.items.len());
                }
            }
            Err(error) => tracing::warn!(seq = %record.place.seq, %error, "a record is no event"),
        }
    }
}

fn read_header(opened: &Opened, id: SessionId) -> Result<SessionHeader, SessionError> {
    let failed = |reason: String| SessionError::Failed {
        session_id: id,
        reason,
    };
    let header: SessionHeader = serde_json::from_str(opened.report().header.text())
        .map_err(|error| failed(format!("the log's first line is not a session's: {error}")))?;
    if header.session_id == id {
        Ok(header)
    } else {
        Err(failed(format!("the log is that of {}", header.session_id)))
    }
}

/// Says in the daemon's log what is wrong with a session's log.
fn report(opened: &Opened, id: SessionId) {
    let report = opened.report();
    if let Some(torn) = &report.torn {
        tracing::warn!(
            session = %id,
            offset = torn.offset,
            bytes = torn.len,
            moved_to = ?torn.moved_to,
            "an unfinished last line was moved aside"
        );
    }
    for damage in &report.damage {
        tracing::error!(session = %id, offset = damage.offset, bytes = damage.len,
            reason = %damage.reason, "the log is damaged");
    }
}

/// So many damaged places that the log is beyond accepting them one by one.
fn beyond_repair(opened: &Opened) -> Option<String> {
    let more = opened.report().more_damage;
    let listed = opened.report().damage.len();
    (more > 0).then(|| format!("the log is damaged at {listed} places and {more} more"))
}
