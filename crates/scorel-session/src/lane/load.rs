//! Creating and loading sessions.
//!
//! Loading folds the log, from its checkpoint if there is one that fits, and then recovers: it
//! closes what a crash left open, before any client can see the session.

use std::path::Path;
use std::sync::Arc;

use scorel_journal::{
    ContinueAt, Journal, LogHeader, OpenError, Opened, Reader, ResumePoint, Resumed, Storage,
};
use scorel_proto::{Seq, SessionId};

use super::fold::LogFold;
use super::health::Health;
use super::log::SessionLog;
use super::open_report::{beyond_repair, log_report, older_log};
use super::state::{LaneState, PublishedState};
use super::{Lane, LaneSeams, Section};
use crate::checkpoint::{Checkpoint, CheckpointFile};
use crate::damage::{lost_end, unaccepted_damage};
use crate::recovery_mark::GivenUp;
use crate::shared::LaneShared;
use crate::spool::Spool;
use crate::{SessionError, SessionHeader};

/// A log that was read, with its fold.
struct LoadedLog {
    header: SessionHeader,
    log: SessionLog,
    fold: LogFold,
    /// The length of the log that a checkpoint covers, in bytes.
    checkpointed: u64,
    health: Health,
    /// The length that the log had, in bytes, if records that were there are gone.
    lost: Option<u64>,
}

impl Lane {
    /// Creates a session. Blocks on the disk.
    pub(crate) fn create(
        shared: Arc<LaneShared>,
        header: SessionHeader,
        seams: Arc<LaneSeams>,
    ) -> Result<Arc<Self>, SessionError> {
        let id = header.session_id;
        let line = serde_json::to_vec(&header)
            .map_err(|error| SessionError::Internal(error.to_string()))?;
        let storage = Arc::clone(&shared.storage);
        let dir = shared.session_dir(id);
        let journal = Journal::create(storage, &dir, line, shared.settings.durability)?;
        let new = LoadedLog {
            header,
            checkpointed: journal.end(),
            log: SessionLog::Writable(journal),
            fold: LogFold::default(),
            health: Health::new(id),
            lost: None,
        };
        Ok(new.into_lane(shared, seams))
    }

    /// Loads a session. Blocks on the disk.
    pub(crate) fn load(
        shared: Arc<LaneShared>,
        id: SessionId,
        seams: Arc<LaneSeams>,
    ) -> Result<Arc<Self>, SessionError> {
        let dir = shared.session_dir(id);
        let mark = shared.recovery_mark(id);
        let loaded = match &mark {
            Err(given_up) => LoadedLog::given_up(&*shared.storage, &dir, id, given_up)?,
            Ok(_) => match OpenedLog::open(&shared, &dir, id) {
                Ok(log) => LoadedLog::writable(log, &shared, id)?,
                Err(OpenError::NewerFormat { .. }) => {
                    LoadedLog::read_only(&*shared.storage, &dir, id)?
                }
                Err(error) => return Err(SessionError::open(id, &error)),
            },
        };
        let lane = loaded.into_lane(shared, seams);
        let mut locked = lane.lock_unshared();
        let mut section = locked.section();
        section.wake();
        let published = section.published();
        let is_news =
            published.state().health.problem().is_some() || !published.open_questions().is_empty();
        drop(published);
        if is_news {
            // Listings still show the state from before the log was read, and the host feed no questions.
            section.announce();
        } else {
            section.announce_if_outdated();
        }
        drop(locked);
        Ok(lane)
    }
}

impl Section<'_> {
    /// Recovers, then goes on with the queue. While the log cannot be written the session can be
    /// read all the same, and this is repeated in the background.
    pub(super) fn wake(&mut self) {
        match self.recover_and_go_on() {
            Err(SessionError::Stalled(_)) => self
                .lane
                .persist_later(|section| section.recover_and_go_on()),
            Err(error) => {
                tracing::error!(session = %self.lane.id(), %error, "the session cannot continue");
                self.publish_change(|state| {
                    let failed = &mut state.health.failed;
                    failed.get_or_insert_with(|| error.to_string());
                });
            }
            Ok(()) => {}
        }
    }

    fn recover_and_go_on(&mut self) -> Result<(), SessionError> {
        let is_lost = self.publish_change(|state| {
            let health = &mut state.health;
            health.recovery_due = None;
            health.is_failed() || health.deleted
        });
        if is_lost {
            return Ok(());
        }
        let before = self.state.log.end();
        let recovered = self.enter_if_busy();
        let recovered = recovered.and_then(|()| self.recover());
        let recovered = recovered.and_then(|()| self.rest_if_idle());
        let recovered = recovered.and_then(|()| self.start_next());
        if let Err(SessionError::Stalled(reason)) = &recovered {
            let due = Some(reason.clone());
            self.publish_change(|state| state.health.recovery_due = due);
        }
        if self.state.log.end() != before {
            self.announce();
        }
        recovered
    }
    /// Puts a session with work on the active list, for the next daemon. One that was restored from a
    /// backup or from the trash is not on it.
    fn enter_if_busy(&self) -> Result<(), SessionError> {
        if !self.is_busy() {
            return Ok(());
        }
        match self.enter_active() {
            // Recovery has to wait for them. It is repeated only after this error.
            Err(SessionError::OutOfDescriptors(reason)) => Err(SessionError::Stalled(reason)),
            entered => entered,
        }
    }
}

impl LoadedLog {
    fn writable(log: OpenedLog, shared: &LaneShared, id: SessionId) -> Result<Self, SessionError> {
        let checkpointed = if log.is_resumed() { log.known_bytes } else { 0 };
        let OpenedLog {
            opened,
            fold,
            known_bytes: covered,
        } = log;
        let report = opened.report();
        let header = read_header(&report.header, id)?;
        log_report(report, id);
        let mut health = Health::new(id);
        health.damage = unaccepted_damage(report, &fold.view.state.accepted_damage);
        health.failed = beyond_repair(report);
        let known_bytes = covered.max(shared.catalog.saved_log_bytes(id).unwrap_or_default());
        // With a torn line, which was there when the length was taken and is moved aside now.
        let torn = report.torn.as_ref().map(|torn| torn.offset + torn.len);
        let bytes = torn.unwrap_or(opened.end());
        let is_shorter = bytes < known_bytes;
        if is_shorter {
            tracing::warn!(session = %id, known_bytes, bytes, "the log is shorter than it was");
            // A copy comes with its own checkpoint, or without one: a checkpoint that covers more than
            // the log holds says that the log itself lost its end.
            let accepted = &fold.view.state.accepted_damage;
            if bytes >= covered {
                health.older = Some(older_log(bytes, known_bytes));
            } else {
                health
                    .damage
                    .extend(lost_end(opened.end(), covered, accepted));
            }
        }
        // Transient events of an open turn may have used seqs that the last record reserved, a hole
        // may hide that a turn is open, and records that are gone had seqs. Otherwise the last
        // record's seq is the last one.
        let open = fold.view.state.has_job();
        let at = if open || is_shorter || !health.damage.is_empty() {
            ContinueAt::Reserve
        } else {
            ContinueAt::LastRecord
        };
        Ok(Self {
            header,
            log: SessionLog::Writable(opened.into_journal(at, shared.settings.durability)),
            fold,
            checkpointed,
            health,
            lost: is_shorter.then_some(known_bytes),
        })
    }

    fn read_only(storage: &dyn Storage, dir: &Path, id: SessionId) -> Result<Self, SessionError> {
        let failed = |error: OpenError| SessionError::open(id, &error);
        let (reader, header) = Reader::open(storage, dir).map_err(failed)?;
        let header = read_header(&header, id)?;
        let mut fold = LogFold::default();
        let found = reader.scan(&mut |record| fold.read(record));
        log_report(&found.map_err(failed)?, id);
        // Damage is not listed: this version could not record that a client accepted it.
        let mut health = Health::new(id);
        health.failed = header.problem();
        let last = fold.index.last();
        Ok(Self {
            log: SessionLog::ReadOnly {
                reader,
                last: last.map_or(Seq::ZERO, |place| place.seq),
                end: last.map_or(0, |place| place.end()),
            },
            header,
            fold,
            checkpointed: 0,
            health,
            lost: None,
        })
    }

    /// A session whose recovery is not tried again.
    fn given_up(
        storage: &dyn Storage,
        dir: &Path,
        id: SessionId,
        given_up: &GivenUp,
    ) -> Result<Self, SessionError> {
        tracing::error!(session = %id, "{given_up}");
        let mut loaded = Self::read_only(storage, dir, id)?;
        loaded.health.failed = Some(given_up.to_string());
        loaded.health.given_up = true;
        Ok(loaded)
    }

    fn into_lane(self, shared: Arc<LaneShared>, seams: Arc<LaneSeams>) -> Arc<Lane> {
        let dir = shared.session_dir(self.header.session_id);
        // Most sessions are loaded to be read, and do not grow.
        let mut fold = self.fold;
        fold.shrink();
        let state = LaneState {
            log: self.log,
            spool: Spool::new(Arc::clone(&shared.storage), &dir),
            claimed: None,
            lost: self.lost,
            unsaved: None,
            checkpointed: self.checkpointed,
            asking: Vec::new(),
        };
        let published = PublishedState {
            fold,
            health: self.health,
        };
        let state = (state, published);
        Arc::new(Lane::new(self.header, dir, state, shared, seams))
    }
}

struct OpenedLog {
    opened: Opened,
    fold: LogFold,
    /// The length that the log had according to its checkpoint, whether that fits or not.
    known_bytes: u64,
}

impl OpenedLog {
    /// Opens the log behind its checkpoint, or from its start if the checkpoint does not fit.
    fn open(shared: &LaneShared, dir: &Path, id: SessionId) -> Result<Self, OpenError> {
        let mut known_bytes = 0;
        if let Some(checkpoint) = Checkpoint::read(&*shared.storage, dir) {
            // The place ends before its newline.
            known_bytes = checkpoint.resume.place().end() + 1;
            let fold = LogFold {
                view: checkpoint.view,
                index: checkpoint.index,
                receipts: checkpoint.receipts,
            };
            let resume = Some(checkpoint.resume);
            let log = Self::open_from(shared, dir, resume, fold, known_bytes)?;
            if log.is_resumed() {
                return Ok(log);
            }
            tracing::warn!(session = %id, "the checkpoint does not fit the log and is ignored");
            // Still with its place, which it does not resume from: it tells which numbers were used.
            let log = Self::open_from(shared, dir, resume, LogFold::default(), known_bytes)?;
            if !log.is_resumed() {
                return Ok(log);
            }
        }
        if let Ok(CheckpointFile::UpTo(resume)) = CheckpointFile::inspect(&*shared.storage, dir) {
            // Of another version, it still tells how far the log reached.
            known_bytes = known_bytes.max(resume.place().end() + 1);
        }
        Self::open_from(shared, dir, None, LogFold::default(), known_bytes)
    }

    fn open_from(
        shared: &LaneShared,
        dir: &Path,
        resume: Option<ResumePoint>,
        mut fold: LogFold,
        known_bytes: u64,
    ) -> Result<Self, OpenError> {
        let storage = Arc::clone(&shared.storage);
        let opened = Journal::open(storage, dir, resume, &mut |record| fold.read(record))?;
        Ok(Self {
            opened,
            fold,
            known_bytes,
        })
    }

    /// Returns whether the log was read from its checkpoint on.
    fn is_resumed(&self) -> bool {
        matches!(self.opened.report().resumed, Resumed::FromPoint)
    }
}

fn read_header(header: &LogHeader, id: SessionId) -> Result<SessionHeader, SessionError> {
    SessionHeader::read(header, id).map_err(|reason| SessionError::Failed {
        session_id: id,
        reason,
    })
}
