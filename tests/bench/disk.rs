use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// About as long as a record is.
pub(crate) const RECORD: usize = 400;

/// A file that is written to and synced as the daemon does it, without the daemon.
#[derive(Debug)]
pub(crate) struct Disk(File);

impl Disk {
    pub(crate) fn new(directory: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.create_new(true).append(true);
        Self(options.open(directory.join("disk")).unwrap())
    }

    /// How long a record takes that is written and synced.
    pub(crate) fn append(&mut self) -> Duration {
        let mut record = vec![b'x'; RECORD - 1];
        record.push(b'\n');
        let started = Instant::now();
        self.0.write_all(&record).unwrap();
        self.0.sync_data().unwrap();
        started.elapsed()
    }

    /// How long the sync alone takes after a record was written.
    pub(crate) fn sync(&mut self) -> Duration {
        self.0.write_all(&[b'x'; RECORD]).unwrap();
        let started = Instant::now();
        self.0.sync_data().unwrap();
        started.elapsed()
    }
}
