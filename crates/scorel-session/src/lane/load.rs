//! Loading a session: its log is folded, and what a crash left open is closed.

mod again;

use std::path::Path;
use std::sync::Arc;

use scorel_journal::{
    ContinueAt, Durability, Header, Index, Journal, OpenError, OpenReport, Opened, Reader,
    RecordRef, ResumePoint, Resumed, Storage,
};
use scorel_proto::{Event, Seq, SessionId, SessionView};

use super::damage::{DamagedPlace, unaccepted_damage};
use super::{Lane, LaneState, Log};
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

/// A log that was read, and what it folds into.
struct Loaded {
    header: SessionHeader,
    log: Log,
    fold: Fold,
    damage: Vec<DamagedPlace>,
    failed: Option<String>,
}

impl Lane {
    /// Loads the session from its directory. Blocks on the disk.
    pub(crate) fn load(shared: Arc<Shared>, id: SessionId) -> Result<Arc<Self>, SessionError> {
        let dir = shared.session_dir(id);
        let loaded = match open(&shared, &dir, id) {
            Ok(opened) => Loaded::writable(opened, shared.settings.durability, id)?,
            Err(OpenError::NewerFormat { .. }) => Loaded::read_only(&*shared.storage, &dir, id)?,
            Err(error) => return Err(SessionError::open(id, &error)),
        };
        let Loaded {
            header,
            log,
            fold,
            damage,
            failed,
        } = loaded;
        let state = LaneState {
            session_id: id,
            checkpointed: fold.checkpointed,
            log,
            view: fold.view,
            index: fold.index,
            receipts: fold.receipts,
            spool: Spool::new(Arc::clone(&shared.storage), &dir),
            damage,
            failed,
            deleted: false,
            recovery_due: None,
            lift_pause: false,
        };
        let lane = Arc::new(Self::new(header, dir, state, shared));
        let mut state = lane
            .try_lock()
            .expect("nobody else has a lane that is being loaded");
        lane.wake(&mut state);
        if state.problem().is_some() || lane.shared.has_failed(id) {
            // Listings say something else.
            lane.announce(&state);
        }
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
        let before = state.log.end();
        let recovered = recover(self, state).and_then(|()| self.start_next(state));
        if let Err(SessionError::Stalled(reason)) = &recovered {
            state.recovery_due = Some(reason.clone());
        }
        if state.log.end() != before {
            self.announce(state);
        }
        recovered
    }
}

impl Loaded {
    fn writable(
        (opened, fold): (Opened, Fold),
        durability: Durability,
        id: SessionId,
    ) -> Result<Self, SessionError> {
        let header = read_header(&opened.report().header, id)?;
        report(opened.report(), id);
        let damage = unaccepted_damage(opened.report(), &fold.view.state.accepted_damage);
        let failed = beyond_repair(opened.report());
        // A hole may hide that a turn is open.
        let at = if fold.view.state.turn.is_some() || !damage.is_empty() {
            ContinueAt::Reserve
        } else {
            ContinueAt::LastRecord
        };
        Ok(Self {
            header,
            log: Log::Journal(opened.into_journal(at, durability)),
            fold,
            damage,
            failed,
        })
    }

    /// Reads a log of a newer version. Nothing is written: whatever this version adds, the newer one
    /// might not understand.
    fn read_only(storage: &dyn Storage, dir: &Path, id: SessionId) -> Result<Self, SessionError> {
        let failed = |error: OpenError| SessionError::open(id, &error);
        let (reader, header) = Reader::open(storage, dir).map_err(failed)?;
        let header = read_header(&header, id)?;
        let mut fold = Fold::default();
        let found = reader.scan(&mut |record| fold.add(record));
        report(&found.map_err(failed)?, id);
        let last = fold.index.last();
        Ok(Self {
            failed: header.problem(),
            log: Log::ReadOnly {
                reader,
                last: last.map_or(Seq::ZERO, |place| place.seq),
                end: last.map_or(0, |place| place.end()),
            },
            // Nobody can accept it here.
            damage: Vec::new(),
            header,
            fold,
        })
    }
}

/// Opens the log behind its checkpoint, or from the start if the checkpoint does not fit it.
fn open(shared: &Shared, dir: &Path, id: SessionId) -> Result<(Opened, Fold), OpenError> {
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
        let (opened, fold) = open_from(shared, dir, Some(resume), fold)?;
        if matches!(opened.report().resumed, Resumed::FromPoint) {
            return Ok((opened, fold));
        }
        tracing::warn!(session = %id, "the checkpoint does not fit the log and is ignored");
    }
    open_from(shared, dir, None, Fold::default())
}

fn open_from(
    shared: &Shared,
    dir: &Path,
    resume: Option<ResumePoint>,
    mut fold: Fold,
) -> Result<(Opened, Fold), OpenError> {
    let storage = Arc::clone(&shared.storage);
    Journal::open(storage, dir, resume, &mut |record| fold.add(record)).map(|opened| (opened, fold))
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

fn read_header(header: &Header, id: SessionId) -> Result<SessionHeader, SessionError> {
    SessionHeader::read(header, id).map_err(|reason| SessionError::Failed {
        session_id: id,
        reason,
    })
}

/// Says in the daemon's log what is wrong with a session's log.
fn report(report: &OpenReport, id: SessionId) {
    if let Some(torn) = &report.torn {
        tracing::warn!(
            session = %id,
            offset = torn.offset,
            bytes = torn.len,
            moved_to = ?torn.moved_to,
            "the log ends with an unfinished line"
        );
    }
    for damage in &report.damage {
        tracing::error!(session = %id, offset = damage.offset, bytes = damage.len,
            reason = %damage.reason, "the log is damaged");
    }
}

/// So many damaged places that the log is beyond accepting them one by one.
fn beyond_repair(report: &OpenReport) -> Option<String> {
    let (listed, more) = (report.damage.len(), report.more_damage);
    (more > 0).then(|| format!("the log is damaged at {listed} places and {more} more"))
}
