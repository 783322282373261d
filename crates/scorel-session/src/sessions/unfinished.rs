use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{Durability, EVENTS, Journal, OpenMode};
use scorel_proto::{ClientId, ErrorChain, SessionId};

use crate::history_writer::HistoryWriter;
use crate::shared::LaneShared;
use crate::{SessionError, SessionHeader};

/// A session that is made with a history: a directory that is no session yet. The rename makes it one, so
/// that a crash leaves all of it or nothing.
#[derive(Debug)]
pub(super) struct UnfinishedSession {
    shared: Arc<LaneShared>,
    pub(super) dir: PathBuf,
}

impl UnfinishedSession {
    pub(super) fn new(shared: &Arc<LaneShared>) -> Self {
        Self {
            // A name of its own: a retry does not meet what an attempt has left.
            dir: shared.cloning_dir().join(SessionId::generate().to_string()),
            shared: Arc::clone(shared),
        }
    }

    /// Creates the log, whose records are of `author`. It is written without a sync for each of them: it is no
    /// session's before it is complete.
    pub(super) fn create_log(
        &self,
        header: &SessionHeader,
        author: ClientId,
    ) -> Result<HistoryWriter, SessionError> {
        let line = serde_json::to_vec(header).map_err(internal)?;
        let storage = Arc::clone(&self.shared.storage);
        let created = storage.create_dir(&self.shared.cloning_dir());
        created.map_err(|error| stalled(&error))?;
        let journal = Journal::create(storage, &self.dir, line, Durability::Flush)?;
        let blobs = self.shared.blobs(&self.dir);
        Ok(HistoryWriter::new(
            journal,
            blobs,
            header.session_id,
            author,
        ))
    }

    pub(super) fn sync(&self) -> Result<(), SessionError> {
        let log = self.dir.join(EVENTS);
        let opened = self.shared.storage.open(&log, OpenMode::Append);
        let synced = opened.and_then(|file| file.sync_data());
        synced.map_err(|error| stalled(&error))
    }

    /// Makes the session `id` of what `write` writes. Nothing is left if that fails; what cannot be removed now is
    /// removed by the next daemon.
    pub(super) fn make<E: From<SessionError>>(
        self,
        id: SessionId,
        write: impl FnOnce(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let made = write(&self).and_then(|()| Ok(self.name(&self.shared.session_dir(id))?));
        if made.is_err() {
            let _ = std::fs::remove_dir_all(&self.dir);
        }
        made
    }

    /// Makes the directory the session's.
    fn name(&self, dir: &Path) -> Result<(), SessionError> {
        let storage = &self.shared.storage;
        let named = storage.rename(&self.dir, dir);
        let parent = dir.parent().unwrap_or(dir);
        let synced = named.and_then(|()| storage.sync_dir(parent));
        synced.map_err(|error| stalled(&error))
    }
}

pub(super) fn stalled(error: &std::io::Error) -> SessionError {
    SessionError::Stalled(format!(
        "the session cannot be written: {}",
        ErrorChain(error)
    ))
}

pub(super) fn internal(error: impl std::error::Error) -> SessionError {
    SessionError::Internal(ErrorChain(&error).to_string())
}
