//! Events of a session's queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Block, ClientId, CommandId, QueueItemId, TurnId};

/// The body of `queue_update`: operations in order, and the queue's version after them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueUpdateBody {
    /// The version of the queue after the operations.
    pub version: u64,
    /// What was done.
    pub ops: Vec<QueueOp>,
    /// The turn that a `cancel` with `clearQueue` signalled in the same step, if it signalled one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_turn_id: Option<TurnId>,
}

/// One change of the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum QueueOp {
    /// A message joins the end. It also ends a pause.
    Add {
        /// The message.
        item: QueueItem,
    },
    /// A message is rewritten.
    Edit {
        /// Which one.
        queue_item_id: QueueItemId,
        /// What it says now.
        content: Vec<Block>,
    },
    /// A message goes to another place.
    Move {
        /// Which one.
        queue_item_id: QueueItemId,
        /// Its new place, counted from 0.
        position: u32,
    },
    /// A message is taken out.
    Remove {
        /// Which one.
        queue_item_id: QueueItemId,
    },
    /// A steer becomes a follow-up, or the other way round.
    Convert {
        /// Which one.
        queue_item_id: QueueItemId,
        /// What it is now.
        kind: QueueKind,
    },
    /// A paused queue goes on.
    Resume,
}

/// A message that waits in the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueItem {
    /// The item's id.
    pub queue_item_id: QueueItemId,
    /// What becomes of it.
    pub kind: QueueKind,
    /// What was said.
    pub content: Vec<Block>,
    /// Who said it.
    pub client_id: ClientId,
    /// The command that queued it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
    /// The SHA-256 of that command's method and parameters, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What becomes of a queued message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueueKind {
    /// It starts a turn of its own, after the running one.
    FollowUp,
    /// The running turn reads it before its next model call.
    Steer,
}
