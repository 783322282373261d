use scorel_journal::Journal;

use super::fold::LogFold;
use super::health::Health;
use super::log::SessionLog;
use crate::SessionError;
use crate::spool::Spool;

/// State guarded by the lane's mutex.
#[derive(Debug)]
pub(super) struct LaneState {
    pub(super) log: SessionLog,
    pub(super) fold: LogFold,
    pub(super) spool: Spool,
    pub(super) health: Health,
    /// A message was accepted after the running turn was cancelled. The outcome of that turn will
    /// pause the queue; this lifts the pause at once, because the user clearly wants to go on.
    pub(super) lift_pause: bool,
    /// The length of the log at the last checkpoint, in bytes.
    pub(super) checkpointed: u64,
}

impl LaneState {
    /// The journal, for appending.
    pub(super) fn journal(&mut self) -> Result<&mut Journal, SessionError> {
        let read_only = self.health.failure("the log can only be read");
        self.log.writable().ok_or(read_only)
    }
}
