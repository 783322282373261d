//! Waiting for file descriptors.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::TurnError;

use super::Lane;
use crate::SessionError;

/// The number of files that a step of a turn may open at once: a connection with its name lookup, the
/// pipes of a command, a file and its directories.
const NEEDED: u64 = 8;

/// The interval between looks.
const RETRY: Duration = Duration::from_millis(250);

const TOO_MANY_FILES: &str =
    "the daemon has too many files open; the turn continues as soon as some are closed";

impl Lane {
    /// Waits while too many files are open, and publishes that it does. Ends when the daemon stops.
    pub(crate) async fn wait_for_descriptors(self: &Arc<Self>) {
        if self.has_descriptors() {
            return;
        }
        tracing::warn!(session = %self.id(), "a turn waits: too many files are open");
        let wait = self.publish_wait(TOO_MANY_FILES.to_owned()).await;
        while !self.shared.is_draining() && !self.has_descriptors() {
            self.shared.descriptors_wanted.notify_one();
            tokio::time::sleep(RETRY).await;
        }
        wait.end().await;
    }

    /// The reason why a call has no model. What sets it up says of a file only that it cannot be read.
    pub(crate) fn not_prepared(&self, error: TurnError) -> SessionError {
        if self.has_descriptors() {
            return SessionError::NotPrepared(error);
        }
        self.shared.descriptors_wanted.notify_one();
        SessionError::OutOfDescriptors(error.message)
    }

    /// Returns whether a step of a turn can open its files.
    pub(crate) fn has_descriptors(&self) -> bool {
        self.shared.storage.can_open(NEEDED)
    }
}
