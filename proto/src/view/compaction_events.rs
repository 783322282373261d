use super::{OpenCompaction, SessionState};
use crate::{CompactBody, CompactionBody, CompactionId, CompactionState, PersistentEvent};

impl SessionState {
    pub(super) fn compaction_event(&mut self, event: &PersistentEvent, body: &CompactionBody) {
        if event.origin.is_some() {
            return;
        }
        if body.state == CompactionState::Started {
            self.compaction = Some(OpenCompaction {
                compaction_id: body.compaction_id,
                turn_id: event.turn_id,
                instructions: body.instructions.clone(),
            });
            return;
        }
        self.end_compaction(body.compaction_id);
        // As after a cancelled turn, whose outcome pauses the queue.
        if body.state == CompactionState::Cancelled && event.turn_id.is_none() {
            self.queue.turn_ended(false);
        }
    }

    pub(super) fn compacted(&mut self, event: &PersistentEvent, body: &CompactBody) {
        if event.origin.is_none() {
            self.end_compaction(body.compaction_id);
        }
    }

    fn end_compaction(&mut self, id: CompactionId) {
        self.compaction = self
            .compaction
            .take()
            .filter(|open| open.compaction_id != id);
    }
}
