use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    BlobHash, CommandId, EncodedEvent, EventId, OpenItems, PermissionRequestBody, Phase, Queue,
    Seq, SessionId, TurnId,
};

/// The parameters of `getTree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTreeParams {
    /// The session.
    pub session_id: SessionId,
    /// Only events after this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<Seq>,
    /// How many at most, 1 to 10,000; 1,000 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: Option<u32>,
}

/// The result of `getTree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetTreeResult {
    /// Events of the tree, in the order of the log.
    pub nodes: Vec<TreeEntry>,
    /// Whether there are more.
    pub more: bool,
    /// The event that the next message follows.
    pub active_leaf_id: Option<EventId>,
}

/// One event of a session's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeEntry {
    /// The event.
    pub id: EventId,
    /// The event it follows.
    pub parent_id: Option<EventId>,
    /// Its number.
    pub seq: Seq,
    /// Whether a finished turn ends here, so that the conversation can go back to it.
    pub turn_end: bool,
}

/// The parameters of `getEvents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetEventsParams {
    /// The session.
    pub session_id: SessionId,
    /// Only events after this number; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<Seq>,
    /// The last events before this number. Not together with `afterSeq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_seq: Option<Seq>,
    /// How many at most, 1 to 1,000; 100 if absent. Large events make a page shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
}

/// The result of `getEvents`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetEventsResult {
    /// Persistent events in ascending order.
    pub events: Vec<EncodedEvent>,
    /// Whether there are more in the direction that was asked for.
    pub more: bool,
}

/// The parameters of `getBlob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetBlobParams {
    /// The session.
    pub session_id: SessionId,
    /// The blob.
    pub sha256: BlobHash,
    /// The first byte; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many bytes at most; 4 MiB if absent or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// The result of `getBlob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetBlobResult {
    /// The bytes, in base64.
    pub data: String,
    /// The first byte's place in the blob.
    pub offset: u64,
    /// The length of the whole blob in bytes.
    pub size: u64,
}

/// The parameters of `putBlob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutBlobParams {
    /// The session.
    pub session_id: SessionId,
    /// The bytes, in base64. At most 4 MiB.
    pub data: String,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `putBlob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PutBlobResult {
    /// The blob's name.
    pub sha256: BlobHash,
    /// Its length in bytes.
    pub size: u64,
}

/// Where a client stands in a session: its two anchors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Anchors {
    /// The number of the last persistent event that the client has; 0 for none.
    #[serde(default)]
    pub persistent_last_seq: Seq,
    /// The number of the last event of any kind that the client has, while what it shows of
    /// unfinished messages is complete; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_last_seq: Option<Seq>,
}

/// The parameters of `resync`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResyncParams {
    /// The session.
    pub session_id: SessionId,
    /// The number of the last persistent event that the client has; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistent_last_seq: Option<Seq>,
    /// The number of the last event that the client has, while its stream state is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_last_seq: Option<Seq>,
    /// `nextPage` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// How a client gets up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// It gets every event that it missed. What it shows stays.
    StreamResume,
    /// It gets the persistent events that it missed and what is open now. Its unfinished items
    /// are dropped unless they are in that.
    PersistentFallback,
    /// It starts over: its view is cleared, and it gets all persistent events and what is open.
    FullReload,
}

/// The result of `resync`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResyncResult {
    /// How the client gets up to date.
    pub mode: SyncMode,
    /// Why it must start over or fall back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it missed, or the first page of that.
    pub events: Vec<EncodedEvent>,
    /// On the last page: the number through which the client is up to date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_seq: Option<Seq>,
    /// On the last page of a reload: what is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<InFlight>,
    /// The number of the session's last event.
    pub current_seq: Seq,
    /// The event that the next message follows.
    pub active_leaf_id: Option<EventId>,
    /// What to ask for the next page with; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page: Option<String>,
}

/// What is open in a session at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InFlight {
    /// What the session is doing.
    pub phase: Phase,
    /// The turn that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Messages that are being generated and tools that are running.
    #[serde(flatten)]
    pub open: OpenItems,
    /// The messages that wait.
    pub queue: Queue,
    /// The requests for permission without a decision.
    pub permissions: Vec<PermissionRequestBody>,
}

/// The parameters of `subscribeEvents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubscribeEventsParams {
    /// The session.
    pub session_id: SessionId,
    /// The number of the last persistent event that the client has; 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistent_last_seq: Option<Seq>,
    /// The number of the last event that the client has, while its stream state is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_last_seq: Option<Seq>,
}

/// What `subscribeEvents` sends between the events, as `params.result` of a notification `event`.
/// Markers carry no `seq`. Another `sync_start` may come at any time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SyncMarker {
    /// The events that the client missed follow.
    SyncStart {
        /// The session.
        session_id: SessionId,
        /// How the client gets up to date.
        mode: SyncMode,
        /// Why it must start over or fall back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// In a reload: what is open.
    InFlight {
        /// The session.
        session_id: SessionId,
        /// What is open.
        in_flight: InFlight,
    },
    /// The client is up to date; live events follow.
    SyncEnd {
        /// The session.
        session_id: SessionId,
        /// The number through which the client is up to date.
        through_seq: Seq,
    },
    /// The session was deleted, or the daemon stops. Nothing follows.
    End {
        /// The session.
        session_id: SessionId,
        /// Why.
        reason: EndReason,
    },
}

/// Why a subscription ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The session was deleted.
    Deleted,
    /// The session cannot be used any more.
    Failed,
    /// The daemon stops.
    ShuttingDown,
}
