use std::path::Path;

use scorel_journal::{ReadError, Record};
use scorel_proto::{Seq, SessionId};

use crate::document::{Document, DocumentScope, SessionFacts, decode};
use crate::error::IndexError;
use crate::index_writer::{IndexWriter, IndexedSession};
use crate::indexed_log::{IndexedLog, LastRecord, LogStatus};
use crate::limits::BATCH_BYTES;
use crate::pending::PendingSessions;

/// The rows that one transaction adds to the index.
#[derive(Debug)]
pub(crate) struct IndexBatch<'t> {
    pub(crate) writer: IndexWriter<'t>,
    /// The directory of sessions.
    pub(crate) sessions: &'t Path,
    pub(crate) pending: &'t PendingSessions,
    /// The bytes of the logs that were read.
    pub(crate) read: u64,
}

/// The progress in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogProgress {
    Done,
    /// The batch is full; so much of the log is left, in bytes.
    Left(u64),
}

impl IndexBatch<'_> {
    /// Returns whether it has to be committed: it is large, or the index is closed.
    pub(crate) fn is_full(&self) -> bool {
        self.read >= BATCH_BYTES || self.pending.is_stopped()
    }

    /// Brings a session up to date. Records after `published` are not on disk for sure and are left for
    /// later; without it, the whole log is read.
    pub(crate) fn update(
        &mut self,
        id: SessionId,
        published: Option<Seq>,
    ) -> Result<LogProgress, IndexError> {
        let known = self.writer.session(id)?;
        if let Some(known) = &known
            && Some(known.log) == LogStatus::of(self.sessions, id).ok().flatten()
        {
            return Ok(LogProgress::Done);
        }
        let (mut session, log) = match self.open(id, known) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(LogProgress::Done),
            // A session that cannot be read says so itself.
            Err(error @ IndexError::Log { .. }) => {
                tracing::debug!(%error, "not indexed");
                return Ok(LogProgress::Done);
            }
            Err(error) => return Err(error),
        };
        let progress = self.read(&log, &mut session, published)?;
        let len = log.status.len;
        let is_read =
            progress == LogProgress::Done && (published.is_none() || session.behind(len) == 0);
        session.log = LogStatus {
            len: if is_read { len } else { 0 },
            ..log.status
        };
        self.writer.save(&session)?;
        Ok(progress)
    }

    /// Opens a session's log where it was left, or at its beginning if it is not the one that was read.
    /// `None` if there is none any more.
    fn open(
        &self,
        id: SessionId,
        known: Option<IndexedSession>,
    ) -> Result<Option<(IndexedSession, IndexedLog)>, IndexError> {
        if let Some(known) = known {
            if let Some(last) = &known.last
                && let Some(log) = IndexedLog::reopen(self.sessions, id, known.project_id)?
                && log.holds(known.log.inode, last)
            {
                return Ok(Some((known, log)));
            }
            self.writer.forget(&known)?;
        }
        let Some(log) = IndexedLog::open(self.sessions, id)? else {
            return Ok(None);
        };
        let inode = log.status.inode;
        let session = self.writer.add_session(id, log.project_id, inode)?;
        Ok(Some((session, log)))
    }

    fn read(
        &mut self,
        log: &IndexedLog,
        session: &mut IndexedSession,
        published: Option<Seq>,
    ) -> Result<LogProgress, IndexError> {
        for record in log.records_after(session.last.as_ref()) {
            let record = match record {
                Ok(record) => record,
                Err(ReadError::Damaged(_)) => continue,
                Err(error) => {
                    tracing::debug!(%error, "a log was not read to its end");
                    break;
                }
            };
            let place = record.place;
            let is_published = published.is_none_or(|published| place.seq <= published);
            if !log.is_complete(place) || !is_published {
                break;
            }
            self.add(session, &record)?;
            if self.is_full() {
                return Ok(LogProgress::Left(session.behind(log.status.len)));
            }
        }
        Ok(LogProgress::Done)
    }

    fn add(&mut self, session: &mut IndexedSession, record: &Record) -> Result<(), IndexError> {
        self.read += u64::from(record.place.len) + 1;
        let line = std::str::from_utf8(&record.line).unwrap_or_default();
        let document = decode(line, DocumentScope::Words).and_then(|event| {
            IndexWriter::note(session, SessionFacts::of(&event));
            Document::of(&event, DocumentScope::Words)
        });
        if let Some(document) = document {
            self.writer.add_record(session, record.place, document)?;
        }
        session.last = Some(LastRecord::new(record.place, &record.line));
        Ok(())
    }
}
