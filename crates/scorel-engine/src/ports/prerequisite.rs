use std::fmt;

use futures_util::future::BoxFuture;

/// Something that a call needs and that is not there yet. The call has not begun: its turn can still be
/// cancelled or parked.
pub struct Prerequisite {
    /// Completes when it is there. What makes it goes on if this is dropped.
    pub ready: BoxFuture<'static, ()>,
    /// Says what the call waits for, for people.
    pub reason: Box<dyn FnOnce() -> String + Send>,
}

impl fmt::Debug for Prerequisite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prerequisite").finish_non_exhaustive()
    }
}
