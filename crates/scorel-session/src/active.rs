//! The sessions that need the daemon although nobody asks for them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_journal::{Storage, read_bounded, replace_file};
use scorel_proto::SessionId;
use serde::{Deserialize, Serialize};

/// How large the file may be.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The sessions with an open turn or waiting messages, in a file that is there after a crash.
///
/// A session is entered, durably, before the first record that needs it, and leaves at leisure: an
/// entry too many costs a look, one too few would leave a session waiting for somebody to open it.
#[derive(Debug)]
pub(crate) struct ActiveSet {
    storage: Arc<dyn Storage>,
    path: PathBuf,
    sessions: Mutex<BTreeSet<SessionId>>,
    /// Whether sessions have left since the file was written.
    stale: AtomicBool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    version: u32,
    sessions: BTreeSet<SessionId>,
}

impl ActiveSet {
    pub(crate) fn new(storage: Arc<dyn Storage>, path: PathBuf) -> Self {
        Self {
            storage,
            path,
            sessions: Mutex::default(),
            stale: AtomicBool::new(false),
        }
    }

    /// Reads what the daemon before left. Nothing if there is no file that makes sense: then any
    /// session may need attention.
    pub(crate) fn read(&self) -> Option<Vec<SessionId>> {
        let bytes = read_bounded(&*self.storage, &self.path, MAX_BYTES).ok()?;
        let stored: Stored = serde_json::from_slice(&bytes).ok()?;
        if stored.version != 1 {
            return None;
        }
        let mut sessions = self.sessions();
        sessions.extend(&stored.sessions);
        Some(stored.sessions.into_iter().collect())
    }

    /// Enters a session; durable when this returns. Blocks on the disk only the first time.
    pub(crate) fn enter(&self, id: SessionId) -> std::io::Result<()> {
        let mut sessions = self.sessions();
        if !sessions.insert(id) {
            return Ok(());
        }
        self.write(&sessions).inspect_err(|_| {
            sessions.remove(&id);
        })
    }

    /// Takes out a session that needs nothing any more; the file follows with [`ActiveSet::tidy`].
    ///
    /// To be called where nothing can begin in the session meanwhile, or an entry could be lost.
    pub(crate) fn leave(&self, id: SessionId) {
        if self.sessions().remove(&id) {
            self.stale.store(true, Ordering::Relaxed);
        }
    }

    /// Writes the file if it has entries too many.
    pub(crate) fn tidy(&self) -> std::io::Result<()> {
        if self.stale.load(Ordering::Relaxed) {
            self.save()
        } else {
            Ok(())
        }
    }

    /// Makes sure that there is a file, so that the next start can tell "none" from "unknown".
    pub(crate) fn save(&self) -> std::io::Result<()> {
        let sessions = self.sessions();
        self.write(&sessions)?;
        self.stale.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn write(&self, sessions: &BTreeSet<SessionId>) -> std::io::Result<()> {
        let stored = Stored {
            version: 1,
            sessions: sessions.clone(),
        };
        replace_file(&*self.storage, &self.path, &serde_json::to_vec(&stored)?)
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeSet<SessionId>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;

    use super::*;

    #[test]
    fn who_entered_is_there_for_the_next_daemon_until_it_leaves() {
        let dir = tempfile::tempdir().expect("a directory");
        let set = || ActiveSet::new(Arc::new(FileStorage), dir.path().join("active"));
        assert_eq!(set().read(), None, "no file tells nothing");
        let (one, two) = (SessionId::generate(), SessionId::generate());
        let first = set();
        first.enter(one).expect("writable");
        first.enter(two).expect("writable");
        first.leave(one);
        first.tidy().expect("writable");
        assert_eq!(set().read(), Some(vec![two]));
        std::fs::write(dir.path().join("active"), b"{\"version\":1,\"sess").expect("writable");
        assert_eq!(set().read(), None, "a damaged file tells nothing");
    }
}
