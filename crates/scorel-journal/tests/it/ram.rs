//! Files in memory, for tests that open a journal hundreds of thousands of times.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use scorel_journal::{FileId, FileStatus, LogFile, OpenMode, Storage};

/// A file system without directories: files are stored under their whole paths.
#[derive(Debug, Default)]
pub(crate) struct Ram {
    files: Mutex<BTreeMap<PathBuf, Arc<RamFile>>>,
    created: AtomicU64,
}

impl Ram {
    /// A file system with one file.
    pub(crate) fn with_file(path: &Path, bytes: Vec<u8>) -> Arc<Self> {
        let ram = Self::default();
        ram.insert(path, bytes);
        Arc::new(ram)
    }

    /// The content of a file.
    pub(crate) fn bytes(&self, path: &Path) -> Vec<u8> {
        self.find(path).expect("there").bytes().clone()
    }

    /// The paths of all files, sorted.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.files().keys().cloned().collect()
    }

    fn insert(&self, path: &Path, bytes: Vec<u8>) -> Arc<RamFile> {
        let ino = self.created.fetch_add(1, Ordering::Relaxed);
        let bytes = Mutex::new(bytes);
        let file = Arc::new(RamFile { ino, bytes });
        self.files().insert(path.to_owned(), Arc::clone(&file));
        file
    }

    fn find(&self, path: &Path) -> io::Result<Arc<RamFile>> {
        let found = self.files().get(path).cloned();
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<RamFile>>> {
        self.files.lock().expect("not poisoned")
    }
}

impl Storage for Ram {
    fn open(&self, path: &Path, _access: OpenMode) -> io::Result<Arc<dyn LogFile>> {
        Ok(self.find(path)?)
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>> {
        match self.find(path) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => Ok(self.insert(path, Vec::new())),
        }
    }

    fn status(&self, path: &Path) -> io::Result<FileStatus> {
        self.find(path)?.status()
    }

    fn create_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let inside = |file: &PathBuf| Some(file.strip_prefix(path).ok()?.to_str()?.to_owned());
        Ok(self.files().keys().filter_map(inside).collect())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.find(from)?;
        let mut files = self.files();
        files.remove(from);
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.find(from)?;
        self.files().insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let removed = self.files().remove(path);
        removed
            .map(drop)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        self.find(path).map(|_| SystemTime::UNIX_EPOCH)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        self.find(path).map(drop)
    }

    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
struct RamFile {
    ino: u64,
    bytes: Mutex<Vec<u8>>,
}

impl RamFile {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().expect("not poisoned")
    }
}

impl LogFile for RamFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.bytes();
        let from = usize::try_from(offset).expect("small");
        let rest = bytes.get(from..).unwrap_or_default();
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn status(&self) -> io::Result<FileStatus> {
        let id = FileId {
            dev: 0,
            ino: self.ino,
        };
        let len = self.bytes().len() as u64;
        Ok(FileStatus { id, len })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).expect("small");
        self.bytes().resize(len, 0);
        Ok(())
    }
}
