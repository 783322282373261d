//! Writes to the index, in one transaction.

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use scorel_journal::RecordPosition;
use scorel_proto::{ProjectId, Role, Seq, SessionId};

use crate::document::{Document, SessionFacts};
use crate::indexed_log::{LastRecord, LogStatus};
use crate::record_time::id_to_try;
use crate::words::for_each_word;

/// One session in the index.
#[derive(Debug)]
pub(crate) struct IndexedSession {
    key: i64,
    pub(crate) project_id: ProjectId,
    archived: bool,
    title: Option<String>,
    title_record: Option<i64>,
    opening: Option<String>,
    /// The log when all of it was read; without a length if it was not.
    pub(crate) log: LogStatus,
    /// The last record that was read.
    pub(crate) last: Option<LastRecord>,
}

impl IndexedSession {
    pub(crate) const COLUMNS: &str = "id, project, archived, title, title_record, opening, inode, \
        log_bytes, modified, last_seq, last_offset, last_len, last_crc";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            key: row.get(0)?,
            project_id: ProjectId::from_bytes(row.get(1)?),
            archived: row.get(2)?,
            title: row.get(3)?,
            title_record: row.get(4)?,
            opening: row.get(5)?,
            log: LogStatus {
                inode: row.get::<_, i64>(6)?.cast_unsigned(),
                len: row.get(7)?,
                modified: row.get(8)?,
            },
            last: last_record(row)?,
        })
    }

    /// The part of a log of `len` bytes that was not read.
    pub(crate) fn behind(&self, len: u64) -> u64 {
        len.saturating_sub(self.last.as_ref().map_or(0, LastRecord::next))
    }
}

fn last_record(row: &Row<'_>) -> rusqlite::Result<Option<LastRecord>> {
    let Some(seq) = row.get::<_, Option<u64>>(9)?.and_then(Seq::new) else {
        return Ok(None);
    };
    Ok(Some(LastRecord {
        place: RecordPosition {
            seq,
            offset: row.get(10)?,
            len: row.get(11)?,
        },
        crc: row.get(12)?,
    }))
}

/// Writes to the index.
#[derive(Debug)]
pub(crate) struct IndexWriter<'t> {
    pub(crate) transaction: &'t Transaction<'t>,
}

impl IndexWriter<'_> {
    pub(crate) fn session(&self, id: SessionId) -> rusqlite::Result<Option<IndexedSession>> {
        let columns = IndexedSession::COLUMNS;
        let sql = format!("SELECT {columns} FROM sessions WHERE session = ?1");
        let mut statement = self.transaction.prepare_cached(&sql)?;
        let row = statement.query_row([id.to_bytes()], IndexedSession::read);
        row.optional()
    }

    pub(crate) fn add_session(
        &self,
        id: SessionId,
        project_id: ProjectId,
        inode: u64,
    ) -> rusqlite::Result<IndexedSession> {
        let sql = "INSERT INTO sessions (session, project, archived, inode, log_bytes, modified) \
                   VALUES (?1, ?2, 0, ?3, 0, 0)";
        let mut statement = self.transaction.prepare_cached(sql)?;
        let key = statement.insert(params![
            id.to_bytes(),
            project_id.to_bytes(),
            inode.cast_signed()
        ])?;
        Ok(IndexedSession {
            key,
            project_id,
            archived: false,
            title: None,
            title_record: None,
            opening: None,
            log: LogStatus {
                inode,
                len: 0,
                modified: 0,
            },
            last: None,
        })
    }

    /// Removes a session with all of its records.
    pub(crate) fn forget(&self, session: &IndexedSession) -> rusqlite::Result<()> {
        for sql in [
            "DELETE FROM words WHERE rowid IN (SELECT id FROM records WHERE session = ?1)",
            "DELETE FROM records WHERE session = ?1",
            "DELETE FROM sessions WHERE id = ?1",
        ] {
            self.transaction
                .prepare_cached(sql)?
                .execute([session.key])?;
        }
        Ok(())
    }

    /// Saves how far the log was read, and what it says about the session.
    pub(crate) fn save(&self, session: &IndexedSession) -> rusqlite::Result<()> {
        let sql = "UPDATE sessions SET archived = ?2, title = ?3, title_record = ?4, opening = ?5, \
                   log_bytes = ?6, modified = ?7, last_seq = ?8, last_offset = ?9, last_len = ?10, \
                   last_crc = ?11 WHERE id = ?1";
        let last = session.last.as_ref();
        let place = last.map(|last| last.place);
        self.transaction.prepare_cached(sql)?.execute(params![
            session.key,
            session.archived,
            session.title,
            session.title_record,
            session.opening,
            session.log.len,
            session.log.modified,
            place.map(|place| place.seq.get()),
            place.map(|place| place.offset),
            place.map(|place| place.len),
            last.map(|last| last.crc.as_str()),
        ])?;
        Ok(())
    }

    /// Notes what a record says about its session.
    pub(crate) fn note(session: &mut IndexedSession, facts: SessionFacts) {
        if facts.title.is_some() {
            session.title = facts.title;
        }
        if session.opening.is_none() {
            session.opening = facts.opening;
        }
        session.archived = facts.archived.unwrap_or(session.archived);
    }

    /// Adds a record with its words. A new title takes the place of the one before.
    pub(crate) fn add_record(
        &self,
        session: &mut IndexedSession,
        place: RecordPosition,
        document: Document,
    ) -> rusqlite::Result<()> {
        let id = self.add_place(session.key, place, document.ts)?;
        let mut body = String::with_capacity(document.text.len());
        for_each_word(&document.text, |word, _| {
            body.push_str(word);
            body.push(' ');
        });
        // It can be megabytes, and the database makes a copy of the words.
        drop(document.text);
        let scope = format!(
            "{} {}",
            scope_of_project(session.project_id),
            scope_of_role(document.role)
        );
        let sql = "INSERT INTO words (rowid, body, scope) VALUES (?1, ?2, ?3)";
        let mut statement = self.transaction.prepare_cached(sql)?;
        statement.execute(params![id, body, scope])?;
        if document.role.is_none()
            && let Some(before) = session.title_record.replace(id)
        {
            self.remove_record(before)?;
        }
        Ok(())
    }

    /// Gives a record a free id near its time.
    fn add_place(&self, session: i64, place: RecordPosition, ts: u64) -> rusqlite::Result<i64> {
        let sql = "INSERT OR IGNORE INTO records (id, session, seq, offset, len) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut statement = self.transaction.prepare_cached(sql)?;
        let seq = place.seq.get();
        let mut attempt = 0;
        loop {
            let id = id_to_try(ts, session, seq, attempt);
            if statement.execute(params![id, session, seq, place.offset, place.len])? == 1 {
                return Ok(id);
            }
            attempt += 1;
        }
    }

    fn remove_record(&self, id: i64) -> rusqlite::Result<()> {
        for sql in [
            "DELETE FROM words WHERE rowid = ?1",
            "DELETE FROM records WHERE id = ?1",
        ] {
            self.transaction.prepare_cached(sql)?.execute([id])?;
        }
        Ok(())
    }
}

/// The word by which the records of a project are found. Filters are words too: FTS5 skips records that
/// lack one of them.
pub(crate) fn scope_of_project(id: ProjectId) -> String {
    id.to_string().to_ascii_lowercase()
}

/// The word by which the records with a role are found.
pub(crate) const fn scope_of_role(role: Option<Role>) -> &'static str {
    match role {
        None => "title",
        Some(Role::User) => "user",
        Some(Role::Assistant) => "assistant",
        Some(Role::ToolResult) => "tool",
        Some(Role::Internal) => "internal",
    }
}
