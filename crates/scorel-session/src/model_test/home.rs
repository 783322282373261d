use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{EVENTS, FileStorage, OpenMode, Storage};
use scorel_proto::SessionId;
use tempfile::TempDir;

use super::dice::Dice;
use super::disk::{MemoryDisk, Trouble};

/// Where a history's files are.
#[derive(Debug)]
pub(super) enum HistoryHome {
    Memory(MemoryDisk),
    /// The real file system. Its power never goes and its space never ends.
    Files(TempDir),
}

impl HistoryHome {
    pub(super) fn in_memory() -> Self {
        Self::Memory(MemoryDisk::default())
    }

    pub(super) fn in_files() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        fs::create_dir(home.path().join("sessions")).expect("writable");
        Self::Files(home)
    }

    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::Memory(_) => PathBuf::from("/home"),
            Self::Files(home) => home.path().to_owned(),
        }
    }

    pub(super) fn storage(&self) -> Arc<dyn Storage> {
        match self {
            Self::Memory(disk) => disk.storage(),
            Self::Files(_) => Arc::new(FileStorage),
        }
    }

    pub(super) fn session_dir(&self, id: SessionId) -> PathBuf {
        self.path().join("sessions").join(id.to_string())
    }

    pub(super) fn log(&self, id: SessionId) -> Vec<u8> {
        self.read(&self.session_dir(id).join(EVENTS))
            .expect("a log")
    }

    /// The log from a byte on.
    pub(super) fn log_from(&self, id: SessionId, offset: usize) -> Vec<u8> {
        let path = self.session_dir(id).join(EVENTS);
        let file = self.storage().open(&path, OpenMode::Read).expect("a log");
        let len = usize::try_from(file.status().expect("a file").len).expect("small");
        let mut bytes = vec![0; len - offset];
        let count = file.read_at(&mut bytes, offset as u64);
        assert_eq!(count.expect("readable"), bytes.len());
        bytes
    }

    pub(super) fn expect(&self, trouble: Trouble) {
        if let Self::Memory(disk) = self {
            disk.expect(trouble);
        }
    }

    pub(super) fn is_off(&self) -> bool {
        matches!(self, Self::Memory(disk) if disk.is_off())
    }

    /// The daemon is gone. Says whether everything that was written is still there.
    pub(super) fn crash(&mut self, power_lost: bool, dice: &mut Dice) -> bool {
        match self {
            Self::Memory(disk) => {
                let was_off = disk.is_off();
                *disk = disk.crashed(power_lost, dice);
                !was_off && !power_lost
            }
            Self::Files(_) => true,
        }
    }

    pub(super) fn read(&self, path: &Path) -> Option<Vec<u8>> {
        match self {
            Self::Memory(disk) => disk.read(path),
            Self::Files(_) => fs::read(path).ok(),
        }
    }

    /// The names in the session's directory.
    pub(super) fn names(&self, id: SessionId) -> Vec<String> {
        self.storage()
            .list(&self.session_dir(id))
            .expect("a directory")
    }

    pub(super) fn tamper(&self, path: &Path, bytes: Vec<u8>) {
        match self {
            Self::Memory(disk) => disk.tamper(path, bytes),
            Self::Files(_) => fs::write(path, bytes).expect("writable"),
        }
    }

    pub(super) fn forget(&self, path: &Path) {
        match self {
            Self::Memory(disk) => disk.forget(path),
            Self::Files(_) => drop(fs::remove_file(path)),
        }
    }
}
