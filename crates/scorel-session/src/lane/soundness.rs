//! Damage that was found while reading.

use std::sync::atomic::Ordering;

use super::Lane;

impl Lane {
    pub(super) fn is_sound(&self) -> bool {
        !self.unsound.load(Ordering::Acquire)
    }

    /// Requests a reread. Returns whether this is the first damage since loading.
    pub(super) fn mark_unsound(&self) -> bool {
        self.reread_due.store(true, Ordering::Release);
        !self.unsound.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_reread_due(&self) -> bool {
        self.reread_due.load(Ordering::Acquire)
    }

    /// To be called before the log is read again, so that damage found meanwhile requests another
    /// reread.
    pub(super) fn reread_begins(&self) {
        self.reread_due.store(false, Ordering::Release);
    }
}
