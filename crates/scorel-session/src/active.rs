//! The active list: the sessions that the next daemon has to load although no client asks for them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_journal::Storage;
use scorel_proto::SessionId;
use serde::{Deserialize, Serialize};

use crate::json_file::{read_json, replace_json};
use crate::locks::Leaf;

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
    sessions: Leaf<BTreeSet<SessionId>>,
    /// Some sessions have left that the file still lists.
    superfluous: AtomicBool,
    /// Held while the file is written. Taken before `sessions`.
    file: Mutex<FileState>,
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
    /// Lists every session of the set, and perhaps some that have left.
    Complete,
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
        let stored: Self = read_json(storage, path, MAX_BYTES)?;
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
            sessions: Leaf::default(),
            superfluous: AtomicBool::new(false),
            file: Mutex::default(),
        }
    }

    /// The list that the last daemon left; `None` if it is missing or damaged. Then any session may
    /// be active.
    pub(crate) fn read(&self) -> Option<Vec<SessionId>> {
        let mut file = self.file();
        self.read_once(&mut file);
        (*file != FileState::Missing).then(|| self.sessions.lock().iter().copied().collect())
    }

    fn read_once(&self, file: &mut FileState) {
        if *file != FileState::Unread {
            return;
        }
        match ActiveFile::read(&*self.storage, &self.path) {
            Ok(stored) => {
                self.sessions.lock().extend(stored.sessions);
                *file = FileState::Complete;
            }
            Err(_) => *file = FileState::Missing,
        }
    }

    /// Enters a session, durably. Blocks on the disk only if the session is not on the list yet.
    pub(crate) fn enter(&self, id: SessionId) -> io::Result<()> {
        if self.contains(id) {
            return Ok(());
        }
        let mut file = self.file();
        self.read_once(&mut file);
        // Without a file, the next start checks this session with all others.
        if *file != FileState::Missing {
            self.write(&mut file, Some(id))?;
        }
        self.sessions.lock().insert(id);
        Ok(())
    }

    pub(crate) fn contains(&self, id: SessionId) -> bool {
        self.sessions.lock().contains(&id)
    }

    /// Returns whether the last daemon may have left the session with work, also before [`ActiveSet::read`]: a
    /// client may be faster than the recovery. Blocks on the disk.
    pub(crate) fn may_contain(&self, id: SessionId) -> bool {
        let mut file = self.file();
        self.read_once(&mut file);
        *file == FileState::Missing || self.contains(id)
    }

    /// Takes a session off the list; [`ActiveSet::tidy`] writes the file.
    ///
    /// To be called in a section of the session's lane. Otherwise a message that is accepted at the
    /// same time could enter the session just before this removes it.
    pub(crate) fn leave(&self, id: SessionId) {
        if self.sessions.lock().remove(&id) {
            self.superfluous.store(true, Ordering::Release);
        }
    }

    /// Writes the file if it has superfluous entries.
    pub(crate) fn tidy(&self) -> io::Result<()> {
        let mut file = self.file();
        let superfluous = self.superfluous.load(Ordering::Acquire);
        if *file == FileState::Complete && superfluous {
            return self.write(&mut file, None);
        }
        Ok(())
    }

    /// Makes sure that there is a file, once every session has been checked.
    pub(crate) fn complete(&self) -> io::Result<()> {
        let mut file = self.file();
        match *file {
            FileState::Missing => self.write(&mut file, None),
            FileState::Unread => Ok(()),
            FileState::Complete => {
                drop(file);
                self.tidy()
            }
        }
    }

    /// Writes the set, and `new` as its next member.
    fn write(&self, file: &mut FileState, new: Option<SessionId>) -> io::Result<()> {
        // Cleared before the set is read: a session that leaves in between is superfluous again.
        let superfluous = self.superfluous.swap(false, Ordering::AcqRel);
        let mut sessions = self.sessions.lock().clone();
        sessions.extend(new);
        let stored = ActiveFile {
            version: VERSION,
            sessions,
        };
        let written = replace_json(&*self.storage, &self.path, &stored);
        match written {
            Ok(()) => *file = FileState::Complete,
            Err(_) => {
                self.superfluous.fetch_or(superfluous, Ordering::AcqRel);
            }
        }
        written
    }

    fn file(&self) -> MutexGuard<'_, FileState> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
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
        let unread = set(&dir);
        assert!(unread.may_contain(two) && !unread.may_contain(one));
        std::fs::write(dir.path().join("active"), b"{\"version\":1,\"sess").expect("writable");
        assert_eq!(set(&dir).read(), None, "a damaged file tells nothing");
        assert!(set(&dir).may_contain(one), "any session may have work");
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
