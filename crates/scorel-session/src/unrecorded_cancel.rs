use std::fmt;

use scorel_proto::StorageStall;

/// A `cancel` whose record could not be written: the queue is as it was, agents may go on, and the next
/// daemon would finish a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnrecordedCancel {
    /// True if a job took the signal, which stands without a record.
    pub cancelled: bool,
    /// True if that job is a restore of files.
    pub is_restore: bool,
    pub clears_queue: bool,
    pub stops_children: bool,
    /// What the turn itself has to write and cannot.
    pub stall: Option<StorageStall>,
    /// The reason why the log could not be written.
    pub reason: String,
}

impl fmt::Display for UnrecordedCancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undone = [
            (self.is_restore, "the next daemon would finish it"),
            (self.stops_children, "its agents could not be stopped"),
            (self.clears_queue, "the queue could not be cleared"),
        ];
        let undone: Vec<&str> = undone.iter().filter(|it| it.0).map(|it| it.1).collect();
        match (self.cancelled, self.is_restore) {
            (true, true) => f.write_str("the restore is cancelled, but ")?,
            (true, false) => f.write_str("the turn is cancelled, but ")?,
            (false, _) => {}
        }
        f.write_str(&undone.join(" and "))?;
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
