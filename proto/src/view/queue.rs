use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{QueueItem, QueueItemId, QueueKind, QueueOp, QueueUpdateBody};

/// The messages that wait in a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// The messages, first to run first.
    pub items: Vec<QueueItem>,
    /// A number that changes whenever the queue changes.
    pub version: u64,
    /// While this is set, no message of it starts a turn.
    pub paused: bool,
    /// Set if a client has paused it: that lasts until `resume`, or until the queue is empty. A pause by an
    /// outcome also ends when a message is added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// True if the outcome of the open turn leaves the queue unpaused, whatever it is: a message was added
    /// while the turn was being cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub go_on: bool,
}

impl Queue {
    pub(super) fn apply(&mut self, update: &QueueUpdateBody) {
        for op in &update.ops {
            self.apply_op(op);
        }
        self.version = update.version;
    }

    /// Applies one operation. Operations on items that are gone change nothing.
    pub fn apply_op(&mut self, op: &QueueOp) {
        match op {
            QueueOp::Add {
                item,
                position,
                hold,
                go_on,
            } => {
                let end = self.items.len();
                let place = position.map_or(end, |place| (place as usize).min(end));
                self.items.insert(place, item.clone());
                // The daemon holds a result back, as after an outcome: that is not a pause by a client.
                let is_result = item.meta.as_ref().is_some_and(|it| it.runtime_id.is_some());
                self.held |= *hold && !is_result;
                self.paused = *hold || self.held;
                self.go_on = (self.go_on || *go_on) && !hold;
            }
            QueueOp::Edit {
                queue_item_id,
                content,
                edited_by,
            } => {
                if let Some(item) = self.item(*queue_item_id) {
                    item.content.clone_from(content);
                    item.edited_by = *edited_by;
                }
            }
            QueueOp::Move {
                queue_item_id,
                position,
            } => self.shift(*queue_item_id, *position),
            QueueOp::Remove { queue_item_id } => self.remove(*queue_item_id),
            QueueOp::Convert {
                queue_item_id,
                kind,
            } => {
                if let Some(item) = self.item(*queue_item_id) {
                    item.kind = *kind;
                }
            }
            QueueOp::Pause => (self.paused, self.held) = (true, true),
            QueueOp::Resume => (self.paused, self.held) = (false, false),
        }
        self.settle();
    }

    /// Removes the item that a `message` names as its origin. There is no separate removal record, so
    /// that taking an item and writing its message cannot come apart.
    pub(super) fn consume(&mut self, id: QueueItemId) {
        self.remove(id);
        self.version = self.version.saturating_add(1);
        self.settle();
    }

    /// An empty queue has nothing to pause or to go on with.
    fn settle(&mut self) {
        if self.items.is_empty() {
            (self.paused, self.held) = (false, false);
            self.go_on = false;
        }
    }

    /// Folds the end of a turn. Steers that the turn has not read become follow-ups, before all
    /// others. A turn that did not complete pauses the queue, unless a message was added after the
    /// cancel.
    pub(super) fn turn_ended(&mut self, completed: bool) {
        let go_on = std::mem::take(&mut self.go_on);
        let pauses = !completed && !go_on && !self.items.is_empty() && !self.paused;
        let steers = self.has_steers();
        // Stable: steers keep their order, and so do follow-ups.
        self.items.sort_by_key(|item| item.kind != QueueKind::Steer);
        for item in &mut self.items {
            item.kind = QueueKind::FollowUp;
        }
        self.paused |= pauses;
        if pauses || steers {
            self.version = self.version.saturating_add(1);
        }
    }

    /// Returns whether a message waits for the running turn's next model call.
    pub fn has_steers(&self) -> bool {
        self.items.iter().any(|item| item.kind == QueueKind::Steer)
    }

    /// Returns whether an item with this id waits.
    pub fn contains(&self, id: QueueItemId) -> bool {
        self.items.iter().any(|item| item.queue_item_id == id)
    }

    fn item(&mut self, id: QueueItemId) -> Option<&mut QueueItem> {
        self.items.iter_mut().find(|item| item.queue_item_id == id)
    }

    fn remove(&mut self, id: QueueItemId) {
        self.items.retain(|item| item.queue_item_id != id);
    }

    fn shift(&mut self, id: QueueItemId, position: u32) {
        if let Some(from) = self.items.iter().position(|item| item.queue_item_id == id) {
            let item = self.items.remove(from);
            let to = (position as usize).min(self.items.len());
            self.items.insert(to, item);
        }
    }
}
