use std::fmt;

use scorel_proto::StorageStall;

/// A `cancel` whose rest could not be recorded: the queue is as it was, and agents may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnrecordedCancel {
    /// Whether a job took the signal, which needs no record.
    pub cancelled: bool,
    pub clears_queue: bool,
    pub stops_children: bool,
    /// What the turn itself has to write and cannot.
    pub stall: Option<StorageStall>,
    /// Why the log could not be written.
    pub reason: String,
}

impl fmt::Display for UnrecordedCancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cancelled && (self.clears_queue || self.stops_children) {
            f.write_str("the turn is cancelled, but ")?;
        }
        f.write_str(match (self.clears_queue, self.stops_children) {
            (false, false) => "the restore is cancelled, but the next daemon would finish it",
            (true, true) => "its agents could not be stopped and the queue could not be cleared",
            (false, true) => "its agents could not be stopped",
            (true, false) => "the queue could not be cleared",
        })?;
        write!(f, ": {}", self.reason)?;
        let unsaved = self.stall.as_ref().and_then(|stall| stall.unsaved.as_ref());
        match unsaved {
            Some(unsaved) => write!(
                f,
                "; a record ({}, {} bytes) waits in memory and is lost if the daemon stops before it is written",
                unsaved.kind, unsaved.bytes
            ),
            None => Ok(()),
        }
    }
}
