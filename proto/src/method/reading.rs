use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    BlobHash, CommandId, EncodedEvent, EventId, OpenItems, OutcomeReason, PermissionRequestBody,
    Phase, Queue, Seq, SessionId, TurnId,
};

/// Parameters of `getTree`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTreeParams {
    /// The session.
    pub session_id: SessionId,
    /// Return the events with a greater `seq`; absent: from the beginning. For the next page, the
    /// `seq` of the last node.
    pub after_seq: Option<Seq>,
    /// The maximum number of nodes per page, 1 to 10,000; absent: 1,000.
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: Option<u32>,
    /// Set to describe the turns that end at the nodes. The log is read for that, so a page may be shorter: it
    /// has at most 1,000 nodes then, 200 without `limit`.
    pub previews: Option<bool>,
}

/// Result of `getTree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetTreeResult {
    /// The nodes in log order, so that a parent precedes its children.
    pub nodes: Vec<TreeEntry>,
    /// True if more nodes follow.
    pub more: bool,
    /// The active leaf: the event to which the next message attaches; `null` in an empty session.
    pub active_leaf_id: Option<EventId>,
}

/// A node of the tree: an event without its content.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeEntry {
    /// The event's id.
    pub id: EventId,
    /// The event it attaches to; `null` for a root.
    #[serialize_always]
    pub parent_id: Option<EventId>,
    /// The event's `seq`.
    pub seq: Seq,
    /// True if a finished turn ends here, or a `compact` or `custom_message` stands outside a turn, which makes
    /// it a valid target of `rewind`, `branch` and `cloneSession`.
    pub turn_end: bool,
    /// With `previews`: the turn that ends here; absent where none does.
    pub turn_id: Option<TurnId>,
    /// With `previews`: the message that started the turn. To edit it and send it again, attach the
    /// new message to the parent of this one.
    pub user_event_id: Option<EventId>,
    /// With `previews`: the first line of that message, or of the summary or custom message that
    /// stands here outside a turn, at most 80 characters.
    pub preview: Option<String>,
    /// With `previews`: how the turn ended.
    pub outcome: Option<OutcomeReason>,
    /// With `previews`: how many files the turn left in another state than it found them in. In a clone,
    /// the copied turns have changed none.
    pub file_changes: Option<u64>,
}

/// Parameters of `getEvents`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetEventsParams {
    /// The session.
    pub session_id: SessionId,
    /// Return the first events with a greater `seq`; absent: 0. Excludes `beforeSeq`.
    pub after_seq: Option<Seq>,
    /// Return the last events with a smaller `seq`. Excludes `afterSeq`.
    pub before_seq: Option<Seq>,
    /// The maximum number of events per page, 1 to 1,000; absent: 100. Large events make a page
    /// shorter.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Only `custom` and `custom_message` events of these kinds. The log is looked through for them, some of it in each
    /// call.
    pub kinds: Option<Vec<String>>,
}

/// Result of `getEvents`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetEventsResult {
    /// Persistent events in ascending order of `seq`, in both directions.
    pub events: Vec<EncodedEvent>,
    /// True if more events exist in the requested direction.
    pub more: bool,
    /// With `kinds`: the last event that was looked at. The next call goes on from there if there is `more`, also if this
    /// one has found nothing.
    pub through: Option<Seq>,
}

/// Parameters of `getTurn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTurnParams {
    /// The session.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
}

/// Parameters of `getContext`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetContextParams {
    /// The session.
    pub session_id: SessionId,
}

/// Result of `getContext`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetContextResult {
    /// The model, as `provider:id`.
    pub model: String,
    /// The model's window in tokens: request and answer together.
    pub context_window: u64,
    /// Above this many tokens the conversation is compacted before the next model call.
    pub budget: u64,
    /// The size of the next request in tokens.
    pub tokens: u64,
    /// True if the endpoint counted most of it at the last call; otherwise all is estimated.
    pub measured: bool,
    /// True if the conversation is compacted without being asked to. Stops after two compactions that did not
    /// help, until `compact`, another model or a smaller size.
    pub automatic: bool,
    /// The parts of the request. Estimated each, so that the sum may differ from `tokens`.
    pub parts: Vec<ContextPart>,
}

/// One kind of content in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPart {
    /// `instructions`, `tools`, `summary`, `user`, `assistant`, `toolResult`, `reminder`, or a later
    /// one.
    pub kind: String,
    /// Their number.
    pub count: u64,
    /// Their estimated size in tokens.
    pub tokens: u64,
}

/// Parameters of `getBlob`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetBlobParams {
    /// The session.
    pub session_id: SessionId,
    /// The blob's hash, from the block that refers to it.
    pub sha256: BlobHash,
    /// The offset of the first byte to return; absent: 0. Fails with `invalid_params` beyond the
    /// end.
    pub offset: Option<u64>,
    /// The maximum number of bytes; absent or larger: 4 MiB.
    pub length: Option<u64>,
}

/// Result of `getBlob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetBlobResult {
    /// The bytes in base64. Fewer than requested at the end of the blob.
    pub data: String,
    /// The offset of the first byte.
    pub offset: u64,
    /// The size of the whole blob in bytes.
    pub size: u64,
}

/// Parameters of `putBlob`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutBlobParams {
    /// The session.
    pub session_id: SessionId,
    /// The bytes in base64: at most 4 MiB after decoding, else `payload_too_large`.
    pub data: String,
    /// Has no effect: the call is idempotent by nature.
    pub command_id: Option<CommandId>,
}

/// Result of `putBlob`. The blob is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PutBlobResult {
    /// The blob's hash, for use in an `image` block.
    pub sha256: BlobHash,
    /// The blob's size in bytes.
    pub size: u64,
}

/// A client's position in a session's event stream.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Anchors {
    /// `P`: the `seq` of the last persistent event that the client has; 0 for none.
    #[serde(default)]
    pub persistent_last_seq: Seq,
    /// `S`: the `seq` of the last event of any kind, if what the client shows of unfinished
    /// messages is complete; otherwise absent.
    pub stream_last_seq: Option<Seq>,
    /// The id of the event at `P`. With it a client notices that the log was replaced by another
    /// one, such as a restored backup.
    pub persistent_last_id: Option<EventId>,
}

/// Parameters of `resync`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResyncParams {
    /// The session.
    pub session_id: SessionId,
    /// Anchor `P`: the `seq` of the last persistent event that the client has; absent: 0.
    pub persistent_last_seq: Option<Seq>,
    /// Anchor `S`: the `seq` of the last event of any kind, if what the client shows of unfinished
    /// messages is complete; otherwise absent.
    pub stream_last_seq: Option<Seq>,
    /// The id of the event at `P`. If the log has another one there, the reply is a full reload with
    /// the reason `diverged`.
    pub persistent_last_id: Option<EventId>,
    /// `nextPage` of the previous page, with the same anchors; absent: the first page.
    pub page: Option<String>,
}

/// The way in which a resync brings a client up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// All missed events follow, transient ones included. The client keeps its view.
    StreamResume,
    /// The missed persistent events and a snapshot of everything open follow. The client keeps its
    /// view, but drops unfinished items that the snapshot does not contain.
    PersistentFallback,
    /// All persistent events and a snapshot of everything open follow. The client clears its view
    /// first.
    FullReload,
}

/// Result of `resync`: one page.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResyncResult {
    /// The way in which the client gets up to date.
    pub mode: SyncMode,
    /// Why the stream could not be resumed, for diagnostics; absent in mode `stream_resume`, and
    /// for a client without events.
    pub reason: Option<String>,
    /// The missed events of this page, in ascending order.
    pub events: Vec<EncodedEvent>,
    /// On the last page: the `seq` up to which the client is now current, its new `S`.
    pub through_seq: Option<Seq>,
    /// On the last page, unless the mode is `stream_resume`: a snapshot of everything open.
    pub in_flight: Option<InFlight>,
    /// The `seq` of the session's last published event.
    pub current_seq: Seq,
    /// The active leaf: the event to which the next message attaches; `null` in an empty session.
    #[serialize_always]
    pub active_leaf_id: Option<EventId>,
    /// The token for the next page; absent on the last page.
    pub next_page: Option<String>,
}

/// A snapshot of everything unfinished in a session.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InFlight {
    /// The session's phase.
    pub phase: Phase,
    /// The open turn; absent if there is none.
    pub turn_id: Option<TurnId>,
    /// The messages being generated and the tools being executed.
    #[serde(flatten)]
    pub open: OpenItems,
    /// The queue.
    pub queue: Queue,
    /// The permission requests without a decision, in the order of the calls.
    pub permissions: Vec<PermissionRequestBody>,
}

/// Parameters of `subscribeEvents`: the session and the client's anchors.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubscribeEventsParams {
    /// The session.
    pub session_id: SessionId,
    /// Anchor `P`: the `seq` of the last persistent event that the client has; absent: 0.
    pub persistent_last_seq: Option<Seq>,
    /// Anchor `S`: the `seq` of the last event of any kind, if what the client shows of unfinished
    /// messages is complete; otherwise absent.
    pub stream_last_seq: Option<Seq>,
    /// The id of the event at `P`. If the log has another one there, a full reload with the reason
    /// `diverged` follows.
    pub persistent_last_id: Option<EventId>,
}

/// An item that `subscribeEvents` sends in addition to events, as `params.result` of an `event` notification. A
/// marker has no `seq`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SyncMarker {
    /// The missed events follow. Can arrive at any time, when the subscriber has fallen too far
    /// behind.
    SyncStart {
        /// The session.
        session_id: SessionId,
        /// The way in which the client gets up to date.
        mode: SyncMode,
        /// Why the stream could not be resumed, for diagnostics; absent in mode `stream_resume`,
        /// and for a client without events.
        reason: Option<String>,
    },
    /// In modes other than `stream_resume`: a snapshot of everything open, after the missed events.
    InFlight {
        /// The session.
        session_id: SessionId,
        /// The snapshot. It replaces the client's unfinished items.
        in_flight: InFlight,
    },
    /// The client is up to date; live events follow.
    SyncEnd {
        /// The session.
        session_id: SessionId,
        /// The `seq` up to which the client is now current, its new `S`.
        through_seq: Seq,
    },
    /// The subscription has ended; nothing follows.
    End {
        /// The session.
        session_id: SessionId,
        /// Why it ended.
        reason: EndReason,
    },
}

/// Why the daemon ended a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The session was deleted.
    Deleted,
    /// The session has failed.
    Failed,
    /// The daemon is shutting down. Reconnect and resume with the anchors.
    ShuttingDown,
}
