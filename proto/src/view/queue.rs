use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{QueueItem, QueueItemId, QueueOp, QueueUpdateBody};

/// The messages that wait in a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    /// The messages, first to run first.
    pub items: Vec<QueueItem>,
    /// A number that changes whenever the queue changes.
    pub version: u64,
    /// Whether the queue waits for a new message or for `resume` before it goes on.
    pub paused: bool,
}

impl Queue {
    pub(super) fn apply(&mut self, update: &QueueUpdateBody) {
        for op in &update.ops {
            self.apply_op(op);
        }
        self.version = update.version;
    }

    fn apply_op(&mut self, op: &QueueOp) {
        match op {
            QueueOp::Add { item } => {
                self.items.push(item.clone());
                self.paused = false;
            }
            QueueOp::Edit {
                queue_item_id,
                content,
            } => {
                if let Some(item) = self.item(*queue_item_id) {
                    item.content.clone_from(content);
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
            QueueOp::Resume => self.paused = false,
        }
        if self.items.is_empty() {
            self.paused = false;
        }
    }

    /// Removes the item that a `message` names as its origin. There is no separate removal record, so
    /// that taking an item and writing its message cannot come apart.
    pub(super) fn consume(&mut self, id: QueueItemId) {
        self.remove(id);
        self.version = self.version.saturating_add(1);
        if self.items.is_empty() {
            self.paused = false;
        }
    }

    /// Pauses after a turn that did not complete, if there is anything to pause.
    pub(super) const fn pause(&mut self) {
        self.paused = !self.items.is_empty();
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
