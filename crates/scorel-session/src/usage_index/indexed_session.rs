use std::path::Path;

use jiff::tz::TimeZone;
use scorel_journal::{EVENTS, OpenError, Reader, RecordPosition, RecordRef, Storage, if_present};
use scorel_proto::{ErrorChain, Event, ProjectId, Seq, SessionId};
use serde::{Deserialize, Serialize};

use super::ledger::{LedgerRow, UsageLedger};
use crate::SessionHeader;

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexedSession {
    pub(super) project_id: ProjectId,
    /// How much of the log was counted, in bytes.
    pub(super) through: u64,
    /// The last record that was counted. A record is never counted twice, wherever it stands: a log
    /// may have been copied without its damaged lines.
    pub(super) last_seq: Seq,
    pub(super) ledger: UsageLedger,
}

impl IndexedSession {
    pub(super) fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            through: 0,
            last_seq: Seq::ZERO,
            ledger: UsageLedger::default(),
        }
    }

    /// Brings `known`, or a new session, up to date with the log; `None` if there is no log.
    pub(super) fn read(
        storage: &dyn Storage,
        dir: &Path,
        id: SessionId,
        known: Option<Self>,
        zone: &TimeZone,
    ) -> Result<Option<Self>, String> {
        let status = if_present(storage.status(&dir.join(EVENTS)));
        let Some(status) = status.map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        let len = status.len;
        match known {
            Some(known) if known.through == len => Ok(Some(known)),
            known => {
                let failed = |error| ErrorChain(&error).to_string();
                let (reader, header) = Reader::open(storage, dir).map_err(failed)?;
                let header = SessionHeader::read(&header, id)?;
                let mut session = known.unwrap_or_else(|| Self::new(header.project_id));
                session.count(&reader, len, zone).map_err(failed)?;
                Ok(Some(session))
            }
        }
    }

    /// Counts the records up to `len`. Damaged ones are missing, and the session says so itself.
    fn count(&mut self, reader: &Reader, len: u64, zone: &TimeZone) -> Result<(), OpenError> {
        if (1..len).contains(&self.through) {
            for record in reader.records(self.through..len).flatten() {
                let text = std::str::from_utf8(&record.line).unwrap_or_default();
                self.line(record.place, text, zone);
            }
        } else {
            let mut last = Seq::ZERO;
            let mut visit = |record: RecordRef<'_>| {
                last = record.place.seq;
                self.line(record.place, record.line, zone);
            };
            reader.scan(&mut visit)?;
            // Another log may have been put in its place. Its next records have smaller numbers than those
            // that are lost, and count all the same.
            self.last_seq = last;
        }
        Ok(())
    }

    /// Most records have no usage, and are not decoded. What follows the last whole record is read
    /// again the next time: it may be a torn line, which loading moves aside.
    fn line(&mut self, place: RecordPosition, line: &str, zone: &TimeZone) {
        self.through = place.end() + 1;
        if place.seq <= self.last_seq {
            return;
        }
        self.last_seq = place.seq;
        if line.contains("\"usage\":")
            && let Ok(Event::Persistent(event)) = Event::decode(line)
            && let Some(row) = LedgerRow::of(&event, zone)
        {
            self.ledger.add(row);
        }
    }
}
