use scorel_proto::{PermissionRequestId, TurnId, UnsavedRecord};

use super::fold::LogFold;
use super::health::Health;
use super::log::SessionLog;
use crate::spool::Spool;

/// State guarded by the lane's mutex, which a section holds while the disk works: only sections
/// need it.
#[derive(Debug)]
pub(super) struct LaneState {
    pub(super) log: SessionLog,
    pub(super) spool: Spool,
    /// This daemon has claimed the turn that it resumes. The step that follows may be repeated.
    pub(super) claimed: Option<TurnId>,
    /// The earlier length of the log, in bytes, if records at its end were lost and none has followed.
    /// Until one follows, everything stored about the log keeps this length, so that the next load
    /// reserves the lost numbers as this one does.
    pub(super) lost: Option<u64>,
    /// The record that could not be written last.
    pub(super) unsaved: Option<UnsavedRecord>,
    /// The length of the log at the last checkpoint, in bytes.
    pub(super) checkpointed: u64,
    /// The open questions that the host feed knows.
    pub(super) asking: Vec<PermissionRequestId>,
}

/// State that reads need too: the fold of the committed records, and the session's health.
///
/// Behind a lock of its own, which is never held while the disk works. A read therefore never waits
/// for a record that is being synced. Only sections change it.
#[derive(Debug)]
pub(super) struct PublishedState {
    pub(super) fold: LogFold,
    pub(super) health: Health,
}
