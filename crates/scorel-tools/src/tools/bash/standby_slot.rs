//! Where a planned command finds the supervisor that stands by for it.

use std::sync::{Arc, Mutex};

use scorel_exec::Standby;

use crate::locked::lock;

/// Holds the standby supervisor of a planned command, if there is one.
///
/// One clone belongs to the command, another to the thread that starts the supervisor. The supervisor
/// ends with the last clone, so that a command which is not run, or did not wait, leaves none behind.
#[derive(Debug, Clone, Default)]
pub(super) struct StandbySlot(Arc<Mutex<Option<Standby>>>);

impl StandbySlot {
    pub(super) fn put(&self, standby: Option<Standby>) {
        *lock(&self.0) = standby;
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).is_none()
    }

    pub(super) fn take(&self) -> Option<Standby> {
        lock(&self.0).take()
    }
}
