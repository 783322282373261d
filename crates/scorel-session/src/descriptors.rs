use std::io;
use std::path::Path;
use std::sync::Arc;

use scorel_journal::{LogFile, OpenMode, Storage, is_out_of_descriptors};
use tokio::sync::Notify;

/// How many files a step of a turn may open at once: a connection with its name lookup, the pipes of
/// a command, a file and its directories.
const NEEDED: usize = 8;

/// Whether files can still be opened, and the wish that idle sessions make room.
#[derive(Debug, Default)]
pub(crate) struct SpareDescriptors {
    wanted: Notify,
}

impl SpareDescriptors {
    /// Whether as many files as a step needs can be opened now. The process tries it with a file
    /// that exists: no system call tells how many descriptors are left. Blocks on the disk.
    pub(crate) fn are_left(&self, storage: &dyn Storage, file: &Path) -> bool {
        let open = |_| storage.open(file, OpenMode::Read);
        let opened: io::Result<Vec<Arc<dyn LogFile>>> = (0..NEEDED).map(open).collect();
        !opened.is_err_and(|error| is_out_of_descriptors(&error))
    }

    /// Asks housekeeping to unload idle sessions.
    pub(crate) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Completes when descriptors are wanted.
    pub(crate) async fn wanted(&self) {
        self.wanted.notified().await;
    }
}
