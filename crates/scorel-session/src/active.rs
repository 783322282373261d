//! The active list: the sessions that the next daemon has to load although no client asks for them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_journal::{Storage, read_bounded, replace_file};
use scorel_proto::SessionId;
use serde::{Deserialize, Serialize};

/// The version of the file; one of another version is not understood.
const VERSION: u32 = 1;

/// How large the file may be, in bytes: more than a million sessions.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The sessions with an open turn, a queue or a permission request, in a file that survives a crash.
///
/// A session is entered durably before the first record that needs it, and leaves lazily. A
/// superfluous entry costs the next start one load. A missing one would leave a turn open until a
/// client happens to open its session.
#[derive(Debug)]
pub(crate) struct ActiveSet {
    storage: Arc<dyn Storage>,
    path: PathBuf,
    entries: Mutex<ActiveEntries>,
}

#[derive(Debug, Default)]
struct ActiveEntries {
    sessions: BTreeSet<SessionId>,
    file: FileState,
}

/// What the file says compared with memory.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum FileState {
    /// Not read yet.
    #[default]
    Unread,
    /// Missing or damaged: the next start checks every session. Nothing is written in this state,
    /// since a file with the entered sessions alone would hide those not checked yet.
    Missing,
    /// The same.
    Complete,
    /// Some sessions have left that the file still lists.
    Superfluous,
}

#[derive(Debug, Serialize, Deserialize)]
struct ActiveFile {
    version: u32,
    sessions: BTreeSet<SessionId>,
}

/// Checks the active list at `path`, for `fsck`.
///
/// # Errors
///
/// `InvalidData` if the daemon could not use it, otherwise the error of the file system.
pub fn check_active_file(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    ActiveFile::read(storage, path).map(drop)
}

impl ActiveFile {
    fn read(storage: &dyn Storage, path: &Path) -> io::Result<Self> {
        let stored: Self = serde_json::from_slice(&read_bounded(storage, path, MAX_BYTES)?)?;
        if stored.version != VERSION {
            let text = format!("version {} is unknown", stored.version);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(stored)
    }
}

impl ActiveSet {
    pub(crate) fn new(storage: Arc<dyn Storage>, path: PathBuf) -> Self {
        Self {
            storage,
            path,
            entries: Mutex::default(),
        }
    }

    /// The list that the last daemon left; `None` if it is missing or damaged. Then any session may
    /// be active.
    pub(crate) fn read(&self) -> Option<Vec<SessionId>> {
        let mut entries = self.entries();
        self.read_once(&mut entries);
        (entries.file != FileState::Missing).then(|| entries.sessions.iter().copied().collect())
    }

    fn read_once(&self, entries: &mut ActiveEntries) {
        if entries.file != FileState::Unread {
            return;
        }
        match ActiveFile::read(&*self.storage, &self.path) {
            Ok(stored) => {
                entries.sessions = stored.sessions;
                entries.file = FileState::Complete;
            }
            Err(_) => entries.file = FileState::Missing,
        }
    }

    /// Enters a session, durably. Blocks on the disk only if the session is not on the list yet.
    pub(crate) fn enter(&self, id: SessionId) -> std::io::Result<()> {
        let mut entries = self.entries();
        self.read_once(&mut entries);
        if !entries.sessions.insert(id) || entries.file == FileState::Missing {
            // Without a file, the next start checks this session with all others.
            return Ok(());
        }
        self.write(&mut entries).inspect_err(|_| {
            entries.sessions.remove(&id);
        })
    }

    pub(crate) fn contains(&self, id: SessionId) -> bool {
        self.entries().sessions.contains(&id)
    }

    /// Takes a session off the list; [`ActiveSet::tidy`] writes the file.
    ///
    /// To be called in a section of the session's lane. Otherwise a message that is accepted at the
    /// same time could enter the session just before this removes it.
    pub(crate) fn leave(&self, id: SessionId) {
        let mut entries = self.entries();
        if entries.sessions.remove(&id) && entries.file == FileState::Complete {
            entries.file = FileState::Superfluous;
        }
    }

    /// Writes the file if it has superfluous entries.
    pub(crate) fn tidy(&self) -> std::io::Result<()> {
        let mut entries = self.entries();
        match entries.file {
            FileState::Superfluous => self.write(&mut entries),
            FileState::Unread | FileState::Missing | FileState::Complete => Ok(()),
        }
    }

    /// Makes sure that there is a file, once every session has been checked.
    pub(crate) fn complete(&self) -> std::io::Result<()> {
        let mut entries = self.entries();
        match entries.file {
            FileState::Missing | FileState::Superfluous => self.write(&mut entries),
            FileState::Unread | FileState::Complete => Ok(()),
        }
    }

    fn write(&self, entries: &mut ActiveEntries) -> std::io::Result<()> {
        let stored = ActiveFile {
            version: VERSION,
            sessions: entries.sessions.clone(),
        };
        replace_file(&*self.storage, &self.path, &serde_json::to_vec(&stored)?)?;
        entries.file = FileState::Complete;
        Ok(())
    }

    fn entries(&self) -> MutexGuard<'_, ActiveEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;

    use super::*;

    fn set(dir: &tempfile::TempDir) -> ActiveSet {
        ActiveSet::new(Arc::new(FileStorage), dir.path().join("active"))
    }

    #[test]
    fn a_listed_session_is_there_for_the_next_daemon_until_it_leaves() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = set(&dir);
        assert_eq!(first.read(), None, "no file tells nothing");
        first.complete().expect("writable");
        let (one, two) = (SessionId::generate(), SessionId::generate());
        first.enter(one).expect("writable");
        first.enter(two).expect("writable");
        first.leave(one);
        first.tidy().expect("writable");
        assert_eq!(set(&dir).read(), Some(vec![two]));
        std::fs::write(dir.path().join("active"), b"{\"version\":1,\"sess").expect("writable");
        assert_eq!(set(&dir).read(), None, "a damaged file tells nothing");
    }

    #[test]
    fn a_session_listed_before_the_file_was_read_does_not_hide_the_others() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut ids = [SessionId::generate(), SessionId::generate()];
        ids.sort_unstable();
        set(&dir).enter(ids[0]).expect("writable");
        assert_eq!(
            set(&dir).read(),
            None,
            "not before every session was looked at"
        );
        set(&dir).complete().expect("nothing to write");
        let first = set(&dir);
        assert_eq!(first.read(), None);
        first.enter(ids[0]).expect("writable");
        first.complete().expect("writable");
        set(&dir).enter(ids[1]).expect("writable");
        assert_eq!(set(&dir).read(), Some(ids.to_vec()));
    }
}
