//! The queue: items and operations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AgentTaskId, Block, ChannelSource, ClientId, CommandId, CompactionId, EventId, QueueItemId,
    RunMode, TurnId,
};

/// Body of `queue_update`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueUpdateBody {
    /// The version of the queue after the operations.
    pub version: u64,
    /// The operations, in order.
    pub ops: Vec<QueueOp>,
    /// The turn that a `cancel` with `clearQueue` signalled in the same step, if it signalled one.
    pub cancel_turn_id: Option<TurnId>,
    /// The compaction without a turn that it signalled instead.
    pub cancel_compaction_id: Option<CompactionId>,
    /// The restore of files that a `cancel` signalled in the same step, by the id of its record. The next
    /// daemon does not finish it either.
    pub cancel_restore_id: Option<EventId>,
}

impl QueueUpdateBody {
    /// Returns whether the record is that of a `cancel` which signalled something. A repeated `cancel` is
    /// answered from it.
    pub const fn records_cancel(&self) -> bool {
        self.cancel_turn_id.is_some()
            || self.cancel_compaction_id.is_some()
            || self.cancel_restore_id.is_some()
    }
}

/// One operation on the queue.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(
    clippy::large_enum_variant,
    reason = "most operations add, and a record has few"
)]
pub enum QueueOp {
    /// Add a message. A queue that an outcome has paused continues, unless `hold` is set.
    Add {
        /// The new item.
        item: QueueItem,
        /// Its zero-based position; absent: the end.
        position: Option<u32>,
        /// Pauses the queue from then on, until `resume`. A result of a runtime, which has
        /// `meta.runtimeId`, only keeps the pause of an outcome.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        hold: bool,
        /// True if the outcome of the open turn leaves the queue unpaused: the message was added while that
        /// turn was being cancelled, so its author wants to go on.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        go_on: bool,
    },
    /// Replace the content of a message.
    Edit {
        /// The item's id.
        queue_item_id: QueueItemId,
        /// The new content.
        content: Vec<Block>,
        /// The client that edited it.
        edited_by: Option<ClientId>,
    },
    /// Move a message.
    Move {
        /// The item's id.
        queue_item_id: QueueItemId,
        /// The new zero-based position.
        position: u32,
    },
    /// Remove a message.
    Remove {
        /// The item's id.
        queue_item_id: QueueItemId,
    },
    /// Change a steer into a follow-up, or the reverse.
    Convert {
        /// The item's id.
        queue_item_id: QueueItemId,
        /// The new kind.
        kind: QueueKind,
    },
    /// Pause the queue until `resume`: no message of it starts a turn. Steers still reach the running turn.
    Pause,
    /// Continue a paused queue.
    Resume,
}

impl QueueOp {
    /// Adds `item` at the end.
    pub const fn append(item: QueueItem) -> Self {
        Self::Add {
            item,
            position: None,
            hold: false,
            go_on: false,
        }
    }
}

/// A queued message.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueItem {
    /// The item's id. The event made from it carries it as `queueItemId`.
    pub queue_item_id: QueueItemId,
    /// The kind of the message.
    pub kind: QueueKind,
    /// The content of the message.
    pub content: Vec<Block>,
    /// The client that sent it.
    pub client_id: ClientId,
    /// The client that edited it last; absent if none did.
    pub edited_by: Option<ClientId>,
    /// The properties of the message besides its content; absent for a user's plain message.
    pub meta: Option<QueueItemMeta>,
    /// The `commandId` of the call that queued it.
    pub command_id: Option<CommandId>,
    /// The SHA-256 of that call's method and parameters, in hexadecimal, to recognise a repetition.
    pub digest: Option<String>,
}

/// The properties of a queued message besides its content.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueItemMeta {
    /// Present if `appendCustomMessage` queued the message: it becomes a `custom_message`.
    pub custom: Option<QueuedCustomMessage>,
    /// The runtime whose result the message is.
    pub runtime_id: Option<AgentTaskId>,
    /// The channel that the message comes through.
    pub channel: Option<ChannelSource>,
    /// The purpose of the message, if it is another than that of the run.
    pub mode: Option<RunMode>,
}

/// The fields that the `custom_message` made from a queue item has besides the item's content.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedCustomMessage {
    /// The kind of message, as named by the extension.
    pub kind: String,
    /// True if the message has the role `internal` instead of `user`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Data of the extension, which the model does not get.
    pub data: Option<Value>,
}

/// The kind of a queued message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueueKind {
    /// It starts a turn of its own after the current one.
    FollowUp,
    /// The running turn reads it before its next model call. A steer that no call follows becomes a
    /// follow-up at the front of the queue when the turn ends.
    Steer,
}
