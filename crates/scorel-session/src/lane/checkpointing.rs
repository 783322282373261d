//! When a checkpoint is written.
//!
//! At the end of a turn, before unloading and at shutdown, never on the way of an event: a checkpoint
//! is derived, so losing one costs the next load some time and nothing else.

use super::{Lane, Section};
use crate::checkpoint::Checkpoint;

/// How far a log must have grown since its last checkpoint: this many bytes, and this fraction of
/// itself. The fraction keeps the cost of all checkpoints linear in the length of the log.
const DUE_BYTES: u64 = 1024 * 1024;
const DUE_FRACTION: u64 = 8;

impl Section<'_> {
    /// Writes a checkpoint if the log has grown enough since the last one.
    pub(crate) fn checkpoint_if_due(&mut self) {
        let end = self.state.log.end();
        let grown = end.saturating_sub(self.state.checkpointed);
        if grown >= DUE_BYTES.max(end / DUE_FRACTION) {
            self.checkpoint();
        }
    }

    /// Writes a checkpoint of an idle session, if its log has grown.
    pub(crate) fn checkpoint(&mut self) {
        let Some(resume) = self.state.log.resume_point() else {
            return;
        };
        if self.state.lost.is_some() {
            return;
        }
        let published = self.published();
        let (view, health) = (published.view(), &published.state().health);
        // A checkpoint holds no transient state, so nothing may be open.
        let idle = !view.state.has_job() && view.open.is_empty();
        let grown = self.state.checkpointed != self.state.log.end();
        // The next load skips what a checkpoint covers, and would not see the damage in it.
        let sound = !health.is_failed() && self.lane.is_sound();
        if !idle || !grown || !sound || health.deleted {
            return;
        }
        let fold = &published.state().fold;
        let encoded = Checkpoint::encode(resume, &fold.view, &fold.index, &fold.receipts);
        drop(published);
        let (storage, dir) = (&*self.lane.shared.storage, &self.lane.dir);
        match encoded.and_then(|encoded| Checkpoint::write(storage, dir, &encoded)) {
            Ok(()) => self.state.checkpointed = self.state.log.end(),
            Err(error) => {
                tracing::warn!(session = %self.lane.id(), %error, "no checkpoint was written");
            }
        }
    }
}

impl Lane {
    /// Makes the next load read the whole log.
    pub(super) fn void_checkpoint(&self) {
        if let Err(error) = Checkpoint::void(&*self.shared.storage, &self.dir) {
            tracing::warn!(session = %self.id(), %error, "the checkpoint still hides damage");
        }
    }
}
