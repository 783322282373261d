//! A file system in memory that can run out of space, fail to sync, and lose its power.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use scorel_journal::{FileId, FileStatus, LogFile, OpenMode, Storage};

use super::dice::Dice;

/// What goes wrong with the next access that it can happen to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Trouble {
    #[default]
    None,
    /// A write takes this many bytes and no more.
    NoSpace(usize),
    /// A sync fails.
    NoSync,
    /// After this many changes nothing reaches the disk any more.
    PowerOff(usize),
    Off,
}

/// A disk. Clones are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryDisk(Arc<Mutex<State>>);

#[derive(Debug, Clone, Default)]
struct State {
    names: BTreeMap<PathBuf, u64>,
    synced_names: BTreeMap<PathBuf, u64>,
    files: BTreeMap<u64, Content>,
    trouble: Trouble,
}

#[derive(Debug, Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    /// How many of them survive a loss of power.
    synced: usize,
}

impl MemoryDisk {
    pub(crate) fn storage(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    pub(crate) fn expect(&self, trouble: Trouble) {
        self.state().trouble = trouble;
    }

    pub(crate) fn is_off(&self) -> bool {
        self.state().trouble == Trouble::Off
    }

    /// The disk as the next daemon finds it. Changes to this one have no effect any more.
    ///
    /// The end of the process loses nothing that was written; the loss of power loses any part of
    /// the unsynced data.
    pub(crate) fn crashed(&self, power_lost: bool, dice: &mut Dice) -> Self {
        let mut after = std::mem::take(&mut *self.state());
        self.state().trouble = Trouble::Off;
        after.trouble = Trouble::None;
        if power_lost {
            if dice.one_in(2) {
                after.names.clone_from(&after.synced_names);
            }
            for content in after.files.values_mut() {
                let kept = dice.below(content.bytes.len() - content.synced + 1);
                content.bytes.truncate(content.synced + kept);
            }
        }
        after.synced_names.clone_from(&after.names);
        let names = &after.names;
        after
            .files
            .retain(|file, _| names.values().any(|named| named == file));
        for content in after.files.values_mut() {
            content.synced = content.bytes.len();
        }
        Self(Arc::new(Mutex::new(after)))
    }

    pub(crate) fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.state();
        let file = state.names.get(path)?;
        Some(state.files[file].bytes.clone())
    }

    /// Replaces the bytes of a file, as another program would.
    pub(crate) fn tamper(&self, path: &Path, bytes: Vec<u8>) {
        let mut state = self.state();
        let file = state.names[path];
        let synced = bytes.len();
        state.files.insert(file, Content { bytes, synced });
    }

    pub(crate) fn forget(&self, path: &Path) {
        let mut state = self.state();
        state.names.remove(path);
        state.synced_names.remove(path);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("not poisoned")
    }
}

impl State {
    /// A change is about to be made. Says whether it is the one during which the power goes.
    fn change(&mut self) -> io::Result<bool> {
        match &mut self.trouble {
            Trouble::Off => Err(failed()),
            Trouble::PowerOff(0) => {
                self.trouble = Trouble::Off;
                Ok(true)
            }
            Trouble::PowerOff(more) => {
                *more -= 1;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// A change that happens whole or not at all.
    fn whole_change(&mut self) -> io::Result<()> {
        if self.change()? {
            Err(failed())
        } else {
            Ok(())
        }
    }

    fn find(&self, path: &Path) -> io::Result<u64> {
        self.names
            .get(path)
            .copied()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn content(&mut self, file: u64) -> &mut Content {
        self.files.entry(file).or_default()
    }
}

fn failed() -> io::Error {
    io::Error::other("the power is off")
}

impl Storage for MemoryDisk {
    fn open(&self, path: &Path, _: OpenMode) -> io::Result<Arc<dyn LogFile>> {
        let file = self.state().find(path)?;
        let disk = self.clone();
        Ok(Arc::new(MemoryFile { disk, file }))
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>> {
        let mut state = self.state();
        state.whole_change()?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let file = state.files.keys().next_back().map_or(1, |last| last + 1);
        state.files.insert(file, Content::default());
        state.names.insert(path.to_owned(), file);
        drop(state);
        let disk = self.clone();
        Ok(Arc::new(MemoryFile { disk, file }))
    }

    fn status(&self, path: &Path) -> io::Result<FileStatus> {
        let file = self.state().find(path)?;
        let disk = self.clone();
        MemoryFile { disk, file }.status()
    }

    fn create_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let state = self.state();
        let inside = state
            .names
            .keys()
            .filter(|name| name.parent() == Some(path));
        let names = inside.filter_map(|name| name.file_name()?.to_str());
        Ok(names.map(str::to_owned).collect())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.whole_change()?;
        let file = state.find(from)?;
        state.names.remove(from);
        state.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.whole_change()?;
        let file = state.find(from)?;
        state.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.whole_change()?;
        state.find(path)?;
        state.names.remove(path);
        Ok(())
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        self.state().find(path).map(|_| SystemTime::UNIX_EPOCH)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        self.state().find(path).map(drop)
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.whole_change()?;
        state.synced_names = state.names.clone();
        Ok(())
    }
}

#[derive(Debug)]
struct MemoryFile {
    disk: MemoryDisk,
    file: u64,
}

impl LogFile for MemoryFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut state = self.disk.state();
        let bytes = &state.content(self.file).bytes;
        let start = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
        let count = buf.len().min(bytes.len() - start);
        buf[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        let power_goes = state.change()?;
        let mut count = bytes.len();
        if power_goes {
            // Any part of the write may have come through; which one the crash decides.
            state.content(self.file).bytes.extend_from_slice(bytes);
            return Err(failed());
        }
        if let Trouble::NoSpace(room) = state.trouble {
            state.trouble = Trouble::None;
            count = room.min(count.saturating_sub(1));
        }
        state
            .content(self.file)
            .bytes
            .extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        let power_goes = state.change()?;
        if state.trouble == Trouble::NoSync {
            state.trouble = Trouble::None;
            return Err(io::Error::other("the sync failed"));
        }
        if power_goes {
            return Err(failed());
        }
        let content = state.content(self.file);
        content.synced = content.bytes.len();
        Ok(())
    }

    fn status(&self) -> io::Result<FileStatus> {
        let mut state = self.disk.state();
        let len = state.content(self.file).bytes.len() as u64;
        let ino = self.file;
        Ok(FileStatus {
            id: FileId { dev: 1, ino },
            len,
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.whole_change()?;
        let content = state.content(self.file);
        let len = usize::try_from(len).expect("a small file");
        content.bytes.resize(len, 0);
        content.synced = content.synced.min(len);
        Ok(())
    }
}
