//! Commands that are prepared but not started, so that preparing them overlaps with recording their
//! call.

use crate::run::Run;

/// A command that is being prepared, and does not start before [`start`](Self::start): the supervisor has
/// its order, takes the state of guarded places, mounts and restricts. Dropping this value ends that.
#[derive(Debug)]
#[must_use = "the command does not start"]
pub struct HeldRun(Run);

impl HeldRun {
    pub(crate) const fn new(run: Run) -> Self {
        Self(run)
    }

    /// Starts the command as soon as it is prepared. Returns at once.
    #[must_use = "dropping the run stops it"]
    pub fn start(self) -> Run {
        self.0.release();
        self.0
    }
}
