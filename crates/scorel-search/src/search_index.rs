use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scorel_proto::{Message, PersistentBody, PersistentEvent, SearchStatus, SessionId};
use scorel_session::{Section, SessionFeature};

use crate::SearchError;
use crate::cursor::{ScanCursor, WordCursor};
use crate::database::IndexFile;
use crate::error::IndexError;
use crate::filter::SearchFilter;
use crate::follower::{IndexFollower, backlog, session_ids};
use crate::hit::{SearchPage, SearchedSession};
use crate::index_thread::IndexThread;
use crate::indexed_log::LogStatus;
use crate::log_scan::LogScan;
use crate::pattern::compile;
use crate::pending::{Change, PendingSessions, Suspicion};
use crate::word_query::WordQuery;
use crate::word_search::{WordSearch, WordSearchResult};

/// The time that the daemon waits for the thread at its end. The thread has the lowest priority and takes
/// seconds or more on a busy machine. If the process ends first, SQLite rolls the transaction back at the next
/// start.
const LAST_RECORD: Duration = Duration::from_millis(500);

/// The search in the logs of all sessions.
///
/// Learns of new records as a feature of the sessions. All other methods block on the disk.
#[derive(Debug)]
pub struct SearchIndex {
    file: IndexFile,
    /// The directory of sessions.
    sessions: PathBuf,
    pending: Arc<PendingSessions>,
    thread: Mutex<Option<IndexThread>>,
}

impl SearchIndex {
    /// The index at `file` over the logs in the directory `sessions`. Reads nothing yet.
    pub fn new(file: PathBuf, sessions: PathBuf) -> Self {
        Self {
            file: IndexFile::new(file),
            sessions,
            pending: Arc::default(),
            thread: Mutex::default(),
        }
    }

    /// Starts the thread that keeps the index up to date, until this value is dropped.
    ///
    /// # Errors
    ///
    /// If there can be no further thread.
    pub fn start(&self) -> io::Result<()> {
        let follower = IndexFollower::new(
            self.file.clone(),
            self.sessions.clone(),
            Arc::clone(&self.pending),
        );
        *self.thread() = Some(IndexThread::spawn(move || follower.run())?);
        Ok(())
    }

    /// Searches for words, the newest records first.
    ///
    /// While the index is being made there are few hits or none; [`Self::behind_bytes`] says so.
    ///
    /// # Errors
    ///
    /// If the query or the cursor is not valid, or there can be no index.
    pub fn words(&self, query: &str, filter: &SearchFilter) -> Result<SearchPage, SearchError> {
        let query = WordQuery::parse(query)?;
        let before = filter.cursor.as_deref().map(str::parse).transpose()?;
        if query.wanted.is_empty() {
            return Ok(SearchPage::default());
        }
        match self.find(&query, filter, before) {
            Ok((page, stale)) => {
                for id in stale {
                    self.pending.add(id, None, Change::Whole);
                }
                Ok(page)
            }
            Err(error) => self.unusable(&error),
        }
    }

    fn find(
        &self,
        query: &WordQuery,
        filter: &SearchFilter,
        before: Option<WordCursor>,
    ) -> Result<WordSearchResult, IndexError> {
        let mut connection = self.file.open_to_read()?;
        let search = WordSearch::new(&self.sessions, query, filter);
        Ok(search.run(&mut connection, query, before)?)
    }

    /// Has the follower check the index. Fails if the index cannot be built.
    fn unusable(&self, error: &IndexError) -> Result<SearchPage, SearchError> {
        if let Some(problem) = self.pending.problem() {
            return Err(SearchError::Unavailable(problem));
        }
        tracing::debug!(%error, "the search index cannot be used now");
        // Until the logs were looked at, the file may be half made.
        let is_made = self.pending.behind().is_some();
        let is_missing = self.file.id().is_ok_and(|id| id.is_none());
        self.pending
            .suspect(if error.is_damage() && is_made && !is_missing {
                Suspicion::Damaged
            } else {
                Suspicion::Missing
            });
        Ok(SearchPage::default())
    }

    /// Scans the logs of sessions for a regular expression. Reads at most
    /// [`MAX_SCAN_BYTES`](crate::MAX_SCAN_BYTES) of them. The session that was created last comes first,
    /// and of each session the newest record.
    ///
    /// # Errors
    ///
    /// If the expression or the cursor is not valid.
    pub fn regex(
        &self,
        query: &str,
        filter: &SearchFilter,
        sessions: Vec<SearchedSession>,
    ) -> Result<SearchPage, SearchError> {
        let pattern = compile(query)?;
        let cursor = filter.cursor.as_deref();
        let before: Option<ScanCursor> = cursor.map(str::parse).transpose()?;
        Ok(LogScan::new(&self.sessions, &pattern, filter).run(sessions, before))
    }

    /// The state of the index, for status reports. Unlike [`Self::behind_bytes`] it reads no file.
    pub fn status(&self) -> SearchStatus {
        self.pending.status()
    }

    /// The part of the logs that is not in the index, in bytes. Has the index catch up, also with turns that
    /// run.
    pub fn behind_bytes(&self) -> u64 {
        self.pending.want();
        match self.pending.behind() {
            Some((backlog, sessions)) => backlog + self.unread(sessions),
            // The thread compares the index with the logs before it writes, which it cannot do here.
            None if self.file.is_read_only() => {
                self.compared().unwrap_or_else(|_| self.all_bytes())
            }
            // Not compared yet: nothing of the index is relied on.
            None => self.all_bytes(),
        }
    }

    fn compared(&self) -> Result<u64, IndexError> {
        let backlog = backlog(&self.file.open_to_read()?, &self.sessions)?;
        Ok(backlog.into_iter().map(|(_, bytes)| bytes).sum())
    }

    fn all_bytes(&self) -> u64 {
        let ids = session_ids(&self.sessions).unwrap_or_default();
        ids.into_iter().map(|id| self.log_bytes(id)).sum()
    }

    /// The bytes of the sessions' logs after the last indexed record.
    fn unread(&self, sessions: Vec<SessionId>) -> u64 {
        let Ok(connection) = self.file.open_to_read() else {
            return sessions.into_iter().map(|id| self.log_bytes(id)).sum();
        };
        let through = |id: SessionId| {
            let sql = "SELECT last_offset + last_len + 1 FROM sessions WHERE session = ?1";
            connection.query_row(sql, [id.to_bytes()], |row| row.get(0))
        };
        let behind = |id| self.log_bytes(id).saturating_sub(through(id).unwrap_or(0));
        sessions.into_iter().map(behind).sum()
    }

    fn thread(&self) -> MutexGuard<'_, Option<IndexThread>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_bytes(&self, id: SessionId) -> u64 {
        let status = LogStatus::of(&self.sessions, id).ok().flatten();
        status.map_or(0, |status| status.len)
    }
}

impl Drop for SearchIndex {
    /// Waits half a second at most for the thread, which ends with the record that it is at.
    fn drop(&mut self) {
        self.pending.stop();
        let thread = self.thread().take();
        if thread.is_some_and(|thread| !thread.wait(LAST_RECORD)) {
            tracing::info!("the thread of the search index did not end in time");
        }
    }
}

impl SearchIndex {
    /// Has a record indexed that is in the log of its session.
    pub fn follow(&self, event: &PersistentEvent) {
        if is_worth_a_look(&event.body) {
            let is_last = matches!(event.body, PersistentBody::TurnOutcome(_));
            let change = match is_last || event.turn_id.is_none() {
                true => Change::Whole,
                false => Change::InTurn,
            };
            self.pending.add(event.session_id, Some(event.seq), change);
        }
    }
}

impl SessionFeature for SearchIndex {
    fn committed(&self, _: &Section<'_>, event: &PersistentEvent) {
        self.follow(event);
    }

    fn loaded(&self, session_id: SessionId) {
        self.pending.add(session_id, None, Change::Whole);
    }

    fn removed(&self, session_id: SessionId) {
        self.pending.add(session_id, None, Change::Whole);
    }
}

const fn is_worth_a_look(body: &PersistentBody) -> bool {
    match body {
        PersistentBody::Message(body) => !matches!(body.message, Message::ToolResult(_)),
        // The outcome is the last record of a turn: the log is read to its end then, and needs no look
        // after the next start.
        PersistentBody::CustomMessage(_)
        | PersistentBody::SessionInfo(_)
        | PersistentBody::TurnOutcome(_) => true,
        _ => false,
    }
}
