use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Serialize};

use crate::{
    Block, CommandId, EventId, PermissionDecision, PermissionRequestId, QueueItemId, QueueOp, Seq,
    SessionId, TurnId,
};

/// What a person says: text, or blocks of text and images.
///
/// On the wire a string stands for one text block.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Content(pub Vec<Block>);

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self(vec![Block::text(text)])
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;

        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of blocks")
            }

            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content::from(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Content, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(blocks)).map(Content)
            }
        }

        deserializer.deserialize_any(ContentVisitor)
    }
}

impl JsonSchema for Content {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Content".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let block = generator.subschema_for::<Block>();
        json_schema!({
            "description": "What a person says: text, or blocks of text and images.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": block }],
        })
    }
}

/// The parameters of `sendMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMessageParams {
    /// The session.
    pub session_id: SessionId,
    /// What to say. Not empty.
    pub content: Content,
    /// What to do while a turn runs or messages are queued; `followUp` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub while_running: Option<WhileRunning>,
    /// The event that the message follows, instead of the active leaf. `null` begins anew.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub parent_event_id: Option<Option<EventId>>,
    /// The active leaf that the caller has seen. If it is another one, the answer is `conflict`.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub expected_leaf_id: Option<Option<EventId>>,
    /// A model for this session from now on, by its id at the configured provider or as
    /// `provider:id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// Tells a field that is `null` from one that is absent.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// What becomes of a message while a turn runs or messages are queued.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WhileRunning {
    /// It joins the queue and starts a turn of its own.
    #[default]
    FollowUp,
    /// The running turn reads it before its next model call.
    Steer,
    /// It is refused.
    Reject,
}

/// The result of `sendMessage`: the message is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "status",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SendMessageResult {
    /// It starts a turn.
    Accepted {
        /// The message's event.
        user_event_id: EventId,
        /// The turn.
        turn_id: TurnId,
        /// The number of the message's event.
        seq: Seq,
    },
    /// It waits.
    Queued {
        /// Which queue it joined.
        queue: WhileRunning,
        /// The item; the message's event will name it.
        queue_item_id: QueueItemId,
        /// Its place, from 0 for the next one to run.
        position: u32,
        /// The number of the record that queued it.
        seq: Seq,
    },
}

/// The parameters of `rewriteQueue`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewriteQueueParams {
    /// The session.
    pub session_id: SessionId,
    /// The version of the queue that the caller has seen.
    pub expected_version: u64,
    /// The changes, in order.
    pub ops: Vec<QueueOp>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The parameters of `cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelParams {
    /// The session.
    pub session_id: SessionId,
    /// The turn to cancel; if another one is running, nothing happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn_id: Option<TurnId>,
    /// Whether to remove all messages from the queue too. This makes `cancel` a mutation: it is
    /// recorded, and a retry with the same `commandId` gets the first answer without a second signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear_queue: Option<bool>,
    /// The client's name for this command; needs a client id. Only a `cancel` with `clearQueue` has
    /// a receipt: without it, repeat with `expectedTurnId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The result of `cancel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelResult {
    /// Whether a running turn took the signal. Its outcome says what happened.
    pub cancelled: bool,
    /// With `clearQueue`: the number of the record that cleared the queue. Absent if another turn
    /// than the expected one was open, and nothing happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
}

/// The parameters of `rewind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindParams {
    /// The session.
    pub session_id: SessionId,
    /// The event to go back to: the last one of a finished turn, or `null` for the beginning.
    #[serde(deserialize_with = "Option::deserialize")]
    pub target_event_id: Option<EventId>,
    /// The active leaf that the caller has seen.
    #[serde(deserialize_with = "Option::deserialize")]
    pub expected_leaf_id: Option<EventId>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The parameters of `branch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchParams {
    /// The session.
    pub session_id: SessionId,
    /// The event to go to: the last one of a finished turn.
    pub leaf_event_id: EventId,
    /// The active leaf that the caller has seen.
    #[serde(deserialize_with = "Option::deserialize")]
    pub expected_leaf_id: Option<EventId>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The parameters of `compact`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompactParams {
    /// The session.
    pub session_id: SessionId,
    /// What the summary should pay attention to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}

/// The parameters of `respondPermission`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RespondPermissionParams {
    /// The session.
    pub session_id: SessionId,
    /// The request.
    pub request_id: PermissionRequestId,
    /// The answer.
    pub decision: PermissionDecision,
    /// Why, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The client's name for this command; needs a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
}
