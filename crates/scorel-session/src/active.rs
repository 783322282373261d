//! The sessions that need the daemon although nobody asks for them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_journal::{Storage, read_bounded, replace_file};
use scorel_proto::SessionId;
use serde::{Deserialize, Serialize};

/// The version of the file; one of another version is not understood.
const VERSION: u32 = 1;

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
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    sessions: BTreeSet<SessionId>,
    file: File,
}

/// What the file tells whoever reads it next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum File {
    /// Nobody has looked.
    #[default]
    Unread,
    /// Nothing, so that every session is looked at: it is missing or damaged.
    Silent,
    /// All that are known.
    Complete,
    /// All that are known and some that have left.
    TooMany,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    version: u32,
    sessions: BTreeSet<SessionId>,
}

/// Checks the file of active sessions at `path`, for a tool that looks at a home.
///
/// # Errors
///
/// `InvalidData` if the daemon would not understand it, and whatever else the file system says.
pub fn check_active_file(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    Stored::read(storage, path).map(drop)
}

impl Stored {
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
            known: Mutex::default(),
        }
    }

    /// Gives what the daemon before left. Nothing if there is no file that makes sense: then any
    /// session may need attention.
    pub(crate) fn read(&self) -> Option<Vec<SessionId>> {
        let mut known = self.known();
        self.read_once(&mut known);
        (known.file != File::Silent).then(|| known.sessions.iter().copied().collect())
    }

    fn read_once(&self, known: &mut Known) {
        if known.file != File::Unread {
            return;
        }
        match Stored::read(&*self.storage, &self.path) {
            Ok(stored) => {
                known.sessions = stored.sessions;
                known.file = File::Complete;
            }
            Err(_) => known.file = File::Silent,
        }
    }

    /// Enters a session; durable when this returns. Blocks on the disk only the first time.
    pub(crate) fn enter(&self, id: SessionId) -> std::io::Result<()> {
        let mut known = self.known();
        self.read_once(&mut known);
        if !known.sessions.insert(id) || known.file == File::Silent {
            // While the file tells nothing, the next daemon looks at this session too. A file with
            // this one alone would hide those that nobody has looked at yet.
            return Ok(());
        }
        self.write(&mut known).inspect_err(|_| {
            known.sessions.remove(&id);
        })
    }

    /// Whether a session has been entered and has not left.
    pub(crate) fn contains(&self, id: SessionId) -> bool {
        self.known().sessions.contains(&id)
    }

    /// Takes out a session that needs nothing any more; the file follows with [`ActiveSet::tidy`].
    ///
    /// To be called where nothing can begin in the session meanwhile, or an entry could be lost.
    pub(crate) fn leave(&self, id: SessionId) {
        let mut known = self.known();
        if known.sessions.remove(&id) && known.file == File::Complete {
            known.file = File::TooMany;
        }
    }

    /// Writes the file if it has entries too many.
    pub(crate) fn tidy(&self) -> std::io::Result<()> {
        let mut known = self.known();
        match known.file {
            File::TooMany => self.write(&mut known),
            File::Unread | File::Silent | File::Complete => Ok(()),
        }
    }

    /// Every session has been looked at: makes sure that there is a file that says so.
    pub(crate) fn complete(&self) -> std::io::Result<()> {
        let mut known = self.known();
        match known.file {
            File::Silent | File::TooMany => self.write(&mut known),
            File::Unread | File::Complete => Ok(()),
        }
    }

    fn write(&self, known: &mut Known) -> std::io::Result<()> {
        let stored = Stored {
            version: VERSION,
            sessions: known.sessions.clone(),
        };
        replace_file(&*self.storage, &self.path, &serde_json::to_vec(&stored)?)?;
        known.file = File::Complete;
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn who_entered_is_there_for_the_next_daemon_until_it_leaves() {
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
    fn who_enters_before_the_file_was_read_does_not_hide_the_others() {
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
