use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::Date;
use scorel_proto::{ProjectId, Seq, SessionId};

use super::file::UsageFile;
use super::indexed_session::IndexedSession;
use super::ledger::{LedgerRow, UsageLedger};

/// A record as the index counts it.
#[derive(Debug)]
pub(super) struct CountedRecord {
    pub(super) session_id: SessionId,
    pub(super) project_id: ProjectId,
    pub(super) seq: Seq,
    /// The length of the log with it.
    pub(super) end: u64,
    /// What it adds, if it records a model call.
    pub(super) row: Option<LedgerRow>,
}

/// Everything that was counted.
#[derive(Debug, Default)]
pub(super) struct UsageEntries {
    pub(super) sessions: HashMap<SessionId, IndexedSession>,
    pub(super) deleted: BTreeMap<ProjectId, UsageLedger>,
    /// What each day cost, in millionths of a US dollar.
    days: HashMap<Date, u64>,
    pub(super) unreadable: BTreeSet<SessionId>,
    pub(super) is_unsaved: bool,
}

impl UsageEntries {
    pub(super) fn with_deleted(deleted: BTreeMap<ProjectId, UsageLedger>) -> Self {
        let mut entries = Self {
            is_unsaved: true,
            ..Self::default()
        };
        for ledger in deleted.values() {
            entries.count_days(ledger.rows());
        }
        entries.deleted = deleted;
        entries
    }

    pub(super) fn insert(&mut self, id: SessionId, session: IndexedSession) {
        self.count_days(session.ledger.rows());
        self.sessions.insert(id, session);
    }

    /// A session whose log cannot be read, with its last known usage.
    pub(super) fn insert_unreadable(&mut self, id: SessionId, known: Option<IndexedSession>) {
        self.unreadable.insert(id);
        if let Some(known) = known {
            self.insert(id, known);
        }
    }

    /// The usage of a session that does not exist any more.
    pub(super) fn add_deleted(&mut self, session: IndexedSession) {
        self.count_days(session.ledger.rows());
        self.keep(session);
    }

    pub(super) fn remove(&mut self, id: SessionId) {
        self.unreadable.remove(&id);
        if let Some(session) = self.sessions.remove(&id) {
            self.is_unsaved = true;
            self.keep(session);
        }
    }

    fn keep(&mut self, session: IndexedSession) {
        if !session.ledger.rows().is_empty() {
            let kept = self.deleted.entry(session.project_id).or_default();
            kept.merge(session.ledger);
        }
    }

    pub(super) fn add(&mut self, record: CountedRecord) {
        let new = || IndexedSession::new(record.project_id);
        let session = self.sessions.entry(record.session_id).or_insert_with(new);
        if record.seq <= session.last_seq {
            return;
        }
        session.last_seq = record.seq;
        session.through = record.end;
        self.is_unsaved = true;
        if let Some(row) = record.row {
            let day = self.days.entry(row.day).or_default();
            *day = day.saturating_add(row.total.cost.micro_usd);
            session.ledger.add(row);
        }
    }

    fn count_days(&mut self, rows: &[LedgerRow]) {
        for row in rows {
            let day = self.days.entry(row.day).or_default();
            *day = day.saturating_add(row.total.cost.micro_usd);
        }
    }

    pub(super) fn day_micro_usd(&self, day: Date) -> u64 {
        self.days.get(&day).copied().unwrap_or_default()
    }

    /// What to save, if something has changed since the last time.
    pub(super) fn unsaved(&mut self) -> Option<UsageFile> {
        std::mem::take(&mut self.is_unsaved).then(|| UsageFile {
            sessions: self.sessions.clone(),
            deleted: self.deleted.clone(),
        })
    }
}
