use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// About the length of a record, in bytes.
pub(crate) const RECORD: usize = 400;

/// A file that is written and synced like the daemon's log, without the daemon.
#[derive(Debug)]
pub(crate) struct DiskProbe {
    directory: PathBuf,
    log: File,
}

impl DiskProbe {
    pub(crate) fn new(directory: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.create_new(true).append(true);
        Self {
            log: options.open(directory.join("disk")).unwrap(),
            directory: directory.to_owned(),
        }
    }

    /// The time to write and sync a record.
    pub(crate) fn append(&mut self) -> Duration {
        let mut record = vec![b'x'; RECORD - 1];
        record.push(b'\n');
        let started = Instant::now();
        self.log.write_all(&record).unwrap();
        self.log.sync_data().unwrap();
        started.elapsed()
    }

    /// The time of the sync alone.
    pub(crate) fn sync(&mut self) -> Duration {
        self.log.write_all(&[b'x'; RECORD]).unwrap();
        let started = Instant::now();
        self.log.sync_data().unwrap();
        started.elapsed()
    }

    /// The time of the two syncs with which a file takes the place of another: its own, and its directory's.
    pub(crate) fn replace(&self) -> Duration {
        let (new, old) = (self.directory.join("new"), self.directory.join("old"));
        let mut file = File::create(&new).unwrap();
        file.write_all(&[b'x'; RECORD]).unwrap();
        let started = Instant::now();
        file.sync_all().unwrap();
        let own = started.elapsed();
        fs::rename(&new, &old).unwrap();
        let started = Instant::now();
        File::open(&self.directory).unwrap().sync_all().unwrap();
        own + started.elapsed()
    }
}
