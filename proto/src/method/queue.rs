use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conversation::Content;
use crate::{CommandId, QueueItem, QueueItemId, QueueKind, Seq, SessionId};

/// Parameters of `rewriteQueue`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewriteQueueParams {
    /// The session.
    pub session_id: SessionId,
    /// The `queueVersion` on which the operations are based. Fails with `conflict` if the queue has
    /// changed since; `details` then has `kind: "queue"`, `queueVersion` and `queue`.
    pub expected_version: u64,
    /// The operations, 1 to 100, applied in order: all or none.
    pub ops: Vec<QueueEdit>,
    /// Makes the call idempotent. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// One operation of `rewriteQueue`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "op",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum QueueEdit {
    /// Add a message. A queue that an outcome has paused continues, unless `hold` is set.
    Add {
        /// Its kind. A steer becomes a follow-up where no turn can read it.
        kind: QueueKind,
        /// The message; not empty. Images are stored with `putBlob` first. Files are attached by
        /// `sendMessage`; here they are `attachment` blocks.
        content: Content,
        /// Its zero-based position; absent, or beyond the end: the end.
        position: Option<u32>,
        /// Set to pause the queue, so that the message waits for `resume`; absent: `false`.
        hold: Option<bool>,
    },
    /// Replace the content of a message.
    Edit {
        /// The item's id.
        queue_item_id: QueueItemId,
        /// The new content; not empty. It replaces all blocks: attachments stay only if it includes them.
        content: Content,
    },
    /// Move a message.
    Move {
        /// The item's id.
        queue_item_id: QueueItemId,
        /// The new zero-based position; beyond the end: the end.
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
        /// The new kind. A steer becomes a follow-up where no turn can read it.
        kind: QueueKind,
    },
    /// Pause the queue: no message of it starts a turn until `resume`. An empty queue is not paused.
    Pause {},
    /// Continue a paused queue.
    Resume {},
}

/// Result of `rewriteQueue`. A repeated command gets the first `seq` and `queueVersion`, and the
/// queue as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RewriteQueueResult {
    /// The `seq` of the `queue_update` event.
    pub seq: Seq,
    /// The version of the queue after the operations. It is higher by now if the first message has
    /// already started a turn.
    pub queue_version: u64,
    /// The queue after the operations.
    pub queue: Vec<QueueItem>,
}
