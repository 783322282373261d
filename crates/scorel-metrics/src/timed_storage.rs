use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use prometheus::Histogram;
use scorel_journal::{FileStatus, FileStorage, LogFile, OpenMode, Storage};

/// The real file system, with the time that the syncs of logs take.
#[derive(Debug)]
pub struct TimedStorage {
    seconds: Histogram,
}

#[derive(Debug)]
struct TimedFile {
    file: Arc<dyn LogFile>,
    seconds: Histogram,
}

impl TimedStorage {
    pub const fn new(seconds: Histogram) -> Self {
        Self { seconds }
    }

    fn timed(&self, file: Arc<dyn LogFile>) -> Arc<dyn LogFile> {
        Arc::new(TimedFile {
            file,
            seconds: self.seconds.clone(),
        })
    }
}

impl Storage for TimedStorage {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn LogFile>> {
        Ok(self.timed(FileStorage.open(path, mode)?))
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn LogFile>> {
        Ok(self.timed(FileStorage.create_new(path)?))
    }

    fn status(&self, path: &Path) -> io::Result<FileStatus> {
        FileStorage.status(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.remove_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        FileStorage.list(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileStorage.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileStorage.link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        FileStorage.remove(path)
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        FileStorage.modified(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        FileStorage.touch(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.sync_dir(path)
    }

    fn can_open(&self, count: u64) -> bool {
        FileStorage.can_open(count)
    }
}

impl LogFile for TimedFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buf, offset)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        self.file.append(bytes)
    }

    /// A sync that fails has taken its time too.
    fn sync_data(&self) -> io::Result<()> {
        self.seconds
            .observe_closure_duration(|| self.file.sync_data())
    }

    fn status(&self) -> io::Result<FileStatus> {
        self.file.status()
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }
}
