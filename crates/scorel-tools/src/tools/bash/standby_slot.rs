//! Where a planned command finds the supervisor that stands by for it.

use std::sync::{Arc, Mutex, PoisonError};

use scorel_exec::Standby;

/// Where a planned command finds the supervisor that stands by for it, if there is one.
///
/// One clone is the command's, another one is that of the thread which starts the supervisor. What is in
/// it ends with the last clone, so that none is left behind by a command that is not run or did not
/// wait.
#[derive(Debug, Clone, Default)]
pub(super) struct StandbySlot(Arc<Mutex<Option<Standby>>>);

impl StandbySlot {
    pub(super) fn put(&self, standby: Option<Standby>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = standby;
    }

    pub(super) fn take(&self) -> Option<Standby> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.take()
    }
}
