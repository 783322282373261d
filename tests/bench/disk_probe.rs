use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// About the length of a record, in bytes.
pub(crate) const RECORD: usize = 400;

/// A file that is written and synced like the daemon's log, without the daemon.
#[derive(Debug)]
pub(crate) struct DiskProbe(File);

impl DiskProbe {
    pub(crate) fn new(directory: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.create_new(true).append(true);
        Self(options.open(directory.join("disk")).unwrap())
    }

    /// The time to write and sync a record.
    pub(crate) fn append(&mut self) -> Duration {
        let mut record = vec![b'x'; RECORD - 1];
        record.push(b'\n');
        let started = Instant::now();
        self.0.write_all(&record).unwrap();
        self.0.sync_data().unwrap();
        started.elapsed()
    }

    /// The time of the sync alone.
    pub(crate) fn sync(&mut self) -> Duration {
        self.0.write_all(&[b'x'; RECORD]).unwrap();
        let started = Instant::now();
        self.0.sync_data().unwrap();
        started.elapsed()
    }
}
