use scorel_journal::Storage;
use tokio::sync::Notify;

/// The number of files that a step of a turn may open at once: a connection with its name lookup, the
/// pipes of a command, a file and its directories.
const NEEDED: u64 = 8;

/// Whether files can still be opened, and the wish that idle sessions make room.
#[derive(Debug, Default)]
pub(crate) struct SpareDescriptors {
    wanted: Notify,
}

impl SpareDescriptors {
    /// Returns whether as many files as a step needs can be opened now.
    pub(crate) fn are_left(storage: &dyn Storage) -> bool {
        storage.can_open(NEEDED)
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
