//! Requests of clients that need no section; mutations have files of their own.

use std::sync::Arc;

use scorel_proto::{Phase, Session, StorageStall, TurnId};

use super::Lane;
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

impl Lane {
    /// The session's description.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`] if the session was deleted.
    pub fn session(&self) -> Result<Session, SessionError> {
        let published = self.published();
        published.check_exists()?;
        Ok(published.describe())
    }

    /// The phase, and the open turn.
    pub fn phase(&self) -> (Phase, Option<TurnId>) {
        let published = self.published();
        (published.phase(), published.turn_id())
    }

    /// Since when the log cannot be written, and what waits for that.
    pub fn storage_stall(&self) -> Option<StorageStall> {
        self.published().storage_stall()
    }

    /// The answer to a command that was carried out before.
    ///
    /// For a caller that prepares a mutation at a cost; [`Lane::mutate`] looks again.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`] if the session was deleted, [`SessionError::Conflict`] if the id was
    /// used for another command.
    pub fn receipt(
        &self,
        command: &MutationCommand,
    ) -> Result<Option<ReceiptAnswer>, SessionError> {
        let published = self.published();
        published.check_exists()?;
        Ok(published.state().fold.receipts.find(command)?.cloned())
    }

    /// Signals the running job, if it is the expected turn or none is expected, and returns whether it took
    /// the signal. The turn's outcome says what came of it; see [`Lane::record_cancelled_restore`] for a restore.
    ///
    /// Acknowledged from memory: it waits neither for the lane nor for the disk.
    pub fn cancel(self: &Arc<Self>, expected: Option<TurnId>) -> bool {
        if self.job.cancel(expected).is_none() {
            return false;
        }
        // The phase has changed without a record. Listings are told as soon as the lane is free.
        let lane = Arc::clone(self);
        self.shared.tasks.spawn(async move {
            lane.lock().await.section().announce();
        });
        true
    }
}
