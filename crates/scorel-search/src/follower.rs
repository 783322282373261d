use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use rusqlite::Connection;
use scorel_journal::FileId;
use scorel_proto::{ErrorChain, SessionId};

use crate::database::IndexFile;
use crate::error::IndexError;
use crate::index_batch::{IndexBatch, LogProgress};
use crate::index_writer::IndexWriter;
use crate::indexed_log::LogStatus;
use crate::limits::BATCH_SESSIONS;
use crate::pending::{ChangedSessions, PendingSessions, PendingWork, Suspicion};
use crate::priority::lower_priority;

/// The pause after a failure, and the longest one after many.
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// Keeps the index up to date, on a thread of its own.
///
/// Compares all logs once, and afterwards only those that have changed. Failures are retried; a database
/// that is damaged, missing or of another version is rebuilt.
#[derive(Debug)]
pub(crate) struct IndexFollower {
    file: IndexFile,
    /// The directory of sessions.
    sessions: PathBuf,
    pending: Arc<PendingSessions>,
    open: Option<OpenIndex>,
    /// Sessions with an unread part, in bytes, those that are read next at the end.
    backlog: Vec<(SessionId, u64)>,
    /// The last batch had no room for all that has changed.
    has_left: bool,
}

#[derive(Debug)]
struct OpenIndex {
    connection: Connection,
    id: Option<FileId>,
}

impl IndexFollower {
    pub(crate) const fn new(
        file: IndexFile,
        sessions: PathBuf,
        pending: Arc<PendingSessions>,
    ) -> Self {
        Self {
            file,
            sessions,
            pending,
            open: None,
            backlog: Vec::new(),
            has_left: false,
        }
    }

    /// Works until the index is closed.
    pub(crate) fn run(mut self) {
        lower_priority();
        let mut retry = RETRY;
        loop {
            let has_more = self.open.is_none() || self.has_left || !self.backlog.is_empty();
            let Some(work) = self.pending.take(has_more) else {
                return;
            };
            match self.work(&work) {
                Ok(()) => retry = RETRY,
                // At once: until then there is no index, and queries find nothing. A file that is damaged
                // again is a problem like any other.
                Err(error) if error.is_damage() && retry == RETRY && self.discard() => {
                    let problem = ErrorChain(&error).to_string();
                    tracing::warn!(problem, "rebuilding the search index");
                    self.pending.begin_anew();
                    retry *= 2;
                }
                Err(error) => {
                    self.failed(&error, retry);
                    if !self.pending.pause(retry) {
                        return;
                    }
                    retry = (2 * retry).min(LONGEST_RETRY);
                }
            }
        }
    }

    fn failed(&mut self, error: &IndexError, retry: Duration) {
        let problem = ErrorChain(error).to_string();
        if retry == RETRY {
            tracing::warn!(problem, "the search index is not up to date");
        }
        self.pending.failed(problem);
        if error.is_damage() {
            self.discard();
        }
    }

    /// Removes the file. Returns whether it is gone.
    fn discard(&mut self) -> bool {
        self.open = None;
        let removed = self.file.remove();
        if let Err(error) = &removed {
            tracing::warn!(%error, "the damaged search index was not removed");
        }
        removed.is_ok()
    }

    fn work(&mut self, work: &PendingWork) -> Result<(), IndexError> {
        self.ensure_open(work.suspicion)?;
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let transaction = open.connection.transaction()?;
        let mut batch = IndexBatch {
            writer: IndexWriter {
                transaction: &transaction,
            },
            sessions: &self.sessions,
            pending: &self.pending,
            read: 0,
        };
        let left = update_changed(&mut batch, &work.changed)?;
        let mut backlog = self.backlog.clone();
        shrink(&mut batch, &mut backlog)?;
        transaction.commit()?;
        let is_caught_up = backlog.is_empty() && !self.backlog.is_empty();
        self.backlog = backlog;
        self.has_left = !left.is_empty();
        self.pending.done(left, self.backlog_bytes());
        if is_caught_up {
            scorel_memory::give_back();
        }
        Ok(())
    }

    fn backlog_bytes(&self) -> u64 {
        self.backlog.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Opens the index, anew if it is not the file at its path any more.
    fn ensure_open(&mut self, suspicion: Option<Suspicion>) -> Result<(), IndexError> {
        let id = self.file.id()?;
        let is_same = self.open.as_ref().is_some_and(|open| open.id == id);
        if is_same && suspicion != Some(Suspicion::Damaged) {
            return Ok(());
        }
        self.open = None;
        if suspicion == Some(Suspicion::Damaged) {
            tracing::warn!("the search index is damaged; rebuilding it");
            self.file.remove()?;
        }
        let connection = self.file.open_to_write()?;
        self.backlog = backlog(&connection, &self.sessions)?;
        let id = self.file.id()?;
        self.open = Some(OpenIndex { connection, id });
        Ok(())
    }
}

/// Returns what did not fit.
fn update_changed(
    batch: &mut IndexBatch<'_>,
    changed: &ChangedSessions,
) -> Result<ChangedSessions, IndexError> {
    let mut left = ChangedSessions::new();
    for (id, published) in changed {
        let is_left =
            batch.is_full() || matches!(batch.update(*id, *published)?, LogProgress::Left(_));
        if is_left {
            left.insert(*id, *published);
        }
    }
    Ok(left)
}

/// Works on the backlog while there is room.
fn shrink(
    batch: &mut IndexBatch<'_>,
    backlog: &mut Vec<(SessionId, u64)>,
) -> Result<(), IndexError> {
    for _ in 0..BATCH_SESSIONS {
        let Some((id, bytes)) = backlog.last_mut().filter(|_| !batch.is_full()) else {
            break;
        };
        match batch.update(*id, None)? {
            LogProgress::Left(left) => *bytes = left,
            LogProgress::Done => {
                backlog.pop();
            }
        }
    }
    Ok(())
}

/// Compares the index with the logs. The newest sessions come last. Sessions that are gone are among
/// them, without bytes.
pub(crate) fn backlog(
    connection: &Connection,
    sessions: &std::path::Path,
) -> Result<Vec<(SessionId, u64)>, IndexError> {
    let mut known = known_logs(connection)?;
    let mut backlog = Vec::new();
    for id in session_ids(sessions)? {
        let Some(status) = LogStatus::of(sessions, id)? else {
            continue;
        };
        let unread = match known.remove(&id) {
            Some(known) if known.read == status => continue,
            Some(known) if known.read.inode == status.inode => {
                status.len.checked_sub(known.through)
            }
            _ => None,
        };
        backlog.push((id, unread.unwrap_or(status.len)));
    }
    backlog.extend(known.into_keys().map(|id| (id, 0)));
    backlog.sort_unstable();
    Ok(backlog)
}

/// A log as it was when it was read.
struct KnownLog {
    read: LogStatus,
    /// The bytes of it that were read.
    through: u64,
}

fn known_logs(connection: &Connection) -> rusqlite::Result<HashMap<SessionId, KnownLog>> {
    let sql = "SELECT session, inode, log_bytes, modified, \
               ifnull(last_offset + last_len + 1, 0) FROM sessions";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        let read = LogStatus {
            inode: row.get::<_, i64>(1)?.cast_unsigned(),
            len: row.get(2)?,
            modified: row.get(3)?,
        };
        let through = row.get(4)?;
        Ok((
            SessionId::from_bytes(row.get(0)?),
            KnownLog { read, through },
        ))
    })?;
    rows.collect()
}

/// The sessions that have a directory.
pub(crate) fn session_ids(sessions: &std::path::Path) -> io::Result<Vec<SessionId>> {
    let mut ids = Vec::new();
    for item in fs::read_dir(sessions)? {
        let name = item?.file_name();
        ids.extend(
            name.to_str()
                .and_then(|name| name.parse::<SessionId>().ok()),
        );
    }
    Ok(ids)
}
