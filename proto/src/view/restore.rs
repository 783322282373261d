use serde::{Deserialize, Serialize};

use crate::{EventId, PersistentBody, PersistentEvent, Seq};

/// A restore of files without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenRestore {
    /// The record of the restore.
    pub event_id: EventId,
    /// Its seq.
    pub seq: Seq,
    /// True once a client's cancel is recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

impl OpenRestore {
    /// Folds the next event, and returns whether it ends a restore that was cancelled. A restore that a
    /// clone copied is over.
    pub(super) fn fold(open: &mut Option<Self>, event: &PersistentEvent) -> bool {
        if event.origin.is_some() {
            return false;
        }
        match &event.body {
            PersistentBody::FilesRestored(_) => {
                return open.take().is_some_and(|open| open.cancelled);
            }
            PersistentBody::QueueUpdate(body) => {
                if let Some(open) = open {
                    open.cancelled |= body.cancel_restore_id == Some(open.event_id);
                }
            }
            body if body.restored_files().is_some() => {
                *open = Some(Self {
                    event_id: event.id,
                    seq: event.seq,
                    cancelled: false,
                });
            }
            _ => {}
        }
        false
    }
}
