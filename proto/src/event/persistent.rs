//! Events that are written to the log.

use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PermissionDecisionBody, PermissionRequestBody, QueueUpdateBody, TurnOutcomeBody};
use crate::{
    ClientId, CommandId, EventId, Message, QueueItemId, Seq, SessionId, ThinkingLevel, ToolPreset,
    TurnId,
};

/// An event that is written to the session's log before anybody sees it.
///
/// As JSON the fields of `body` stand beside the others. A line of the log ends with two more
/// fields, `prev` and `crc`, which the log itself adds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = describe_crc)]
pub struct PersistentEvent {
    /// The event's own id.
    pub id: EventId,
    /// The event this one follows in the tree; `null` for control events and for the first.
    pub parent_id: Option<EventId>,
    /// The event's number.
    pub seq: Seq,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Who caused it.
    pub client_id: ClientId,
    /// When it was made, in milliseconds since 1970. For people: order is by `seq`.
    pub ts: u64,
    /// The turn that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The command that this event carried out; with `clientId` it is the command's receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<CommandId>,
    /// The SHA-256 of that command's method and parameters, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// In a cloned session: the event this one is a copy of. It is history and starts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What happened.
    #[serde(flatten)]
    pub body: PersistentBody,
    /// The number of the persistent event before this one, 0 for the first. Added by the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<Seq>,
}

/// Only the log knows a line's checksum, so no field of the type holds it.
fn describe_crc(schema: &mut Schema) {
    let crc = json_schema!({
        "type": "string",
        "pattern": "^[0-9a-f]{8}$",
        "description": "The CRC-32C of the line's bytes before this field. Added by the log.",
    });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("crc".to_owned(), crc.to_value());
    }
}

/// Where a copied event comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The session that was cloned.
    pub session_id: SessionId,
    /// The event in that session.
    pub event_id: EventId,
}

macro_rules! persistent_bodies {
    ($($(#[$doc:meta])* $variant:ident($body:ty) = $name:literal, $place:ident;)*) => {
        /// What a persistent event says, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum PersistentBody {
            $($(#[$doc])* #[serde(rename = $name)] $variant($body),)*
        }

        impl PersistentBody {
            /// Every type name, in the order of the documentation.
            pub const TYPES: &'static [&'static str] = &[$($name,)*];

            /// The `type` of the event.
            #[must_use]
            pub const fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// How the event stands to the tree.
            #[must_use]
            pub const fn place(&self) -> Place {
                match self { $(Self::$variant(_) => Place::$place,)* }
            }

            /// How the events of a type stand to the tree. Nothing if the type is not known.
            pub(crate) fn place_of(name: &str) -> Option<Place> {
                match name {
                    $($name => Some(Place::$place),)*
                    _ => None,
                }
            }

            /// Reads the body of an event of a known type out of the event's JSON text.
            /// Nothing if the type is not known.
            pub(crate) fn decode(name: &str, text: &str) -> Option<serde_json::Result<Self>> {
                match name {
                    $($name => Some(serde_json::from_str(text).map(Self::$variant)),)*
                    _ => None,
                }
            }
        }
    };
}

/// How a persistent event stands to the tree of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It attaches to the active leaf and becomes the leaf.
    Leaf,
    /// It attaches to the active leaf and moves the leaf to its target.
    Move,
    /// It attaches to the active leaf and leaves the leaf where it is.
    Aside,
    /// It is not part of the tree.
    Control,
}

persistent_bodies! {
    /// Somebody said something.
    Message(MessageBody) = "message", Leaf;
    /// Earlier events are replaced by a summary in the model's context.
    Compact(CompactBody) = "compact", Leaf;
    /// An extension says something to the model.
    CustomMessage(CustomMessageBody) = "custom_message", Leaf;
    /// The conversation goes back to an earlier event.
    Rewind(RewindBody) = "rewind", Move;
    /// The conversation goes over to another branch.
    Branch(BranchBody) = "branch", Move;
    /// The message that follows came in through a channel.
    ChannelInject(ChannelInjectBody) = "channel_inject", Aside;
    /// The session's title, model or other facts changed.
    SessionInfo(SessionInfoBody) = "session_info", Aside;
    /// An extension keeps data.
    Custom(CustomBody) = "custom", Aside;
    /// The system prompt of the session, frozen.
    InstructionSnapshot(InstructionSnapshotBody) = "instruction_snapshot", Control;
    /// A turn ended.
    TurnOutcome(TurnOutcomeBody) = "turn_outcome", Control;
    /// The queue changed.
    QueueUpdate(QueueUpdateBody) = "queue_update", Control;
    /// A tool is about to run.
    ToolStarted(ToolStartedBody) = "tool_started", Control;
    /// A tool call waits for permission.
    PermissionRequest(PermissionRequestBody) = "permission_request", Control;
    /// A request for permission was answered.
    PermissionDecision(PermissionDecisionBody) = "permission_decision", Control;
    /// A turn waits, for example for a rate limit.
    TurnWaiting(TurnWaitingBody) = "turn_waiting", Control;
    /// A waiting or interrupted turn goes on.
    TurnResumed(TurnResumedBody) = "turn_resumed", Control;
    /// Old tool results are shortened in the model's context.
    ContextTrim(ContextTrimBody) = "context_trim", Control;
    /// A hole in the log was accepted.
    DamageAccepted(DamageAcceptedBody) = "damage_accepted", Control;
    /// The next block of numbers is reserved.
    SeqReserve(SeqReserveBody) = "seq_reserve", Control;
}

/// The body of `message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageBody {
    /// What was said.
    pub message: Message,
    /// The queue item that became this message. Folding the event removes the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_item_id: Option<QueueItemId>,
}

/// The body of `compact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactBody {
    /// The summary that the model reads instead.
    pub summary: String,
    /// The last event that the summary covers.
    pub compacted_through: EventId,
    /// Messages before that point which the model still reads whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<EventId>,
    /// The context's size before, in tokens.
    pub tokens_before: u64,
    /// The context's size after, in tokens.
    pub tokens_after: u64,
}

/// The body of `custom_message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CustomMessageBody {
    /// The extension's name for this kind of message.
    pub kind: String,
    /// What the model reads.
    pub message: Message,
    /// What the model does not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The body of `rewind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RewindBody {
    /// The event that becomes the leaf; `null` goes back to the empty conversation.
    #[serde(deserialize_with = "Option::deserialize")]
    pub target_event_id: Option<EventId>,
}

/// The body of `branch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchBody {
    /// The event that becomes the leaf.
    pub leaf_event_id: EventId,
}

/// The body of `channel_inject`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelInjectBody {
    /// The channel, such as `telegram` or `cron`.
    pub channel: String,
    /// The message's id over there.
    pub external_id: String,
    /// More facts about the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

/// The body of `session_info`: what changed. Fields that are absent stay as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfoBody {
    /// The changes.
    pub changes: SessionChanges,
}

/// Changes of a session's facts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionChanges {
    /// A new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A new model, by its id at the configured provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A new thinking level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// Which tools the model is offered from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPreset>,
    /// Whether the session is put away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
}

/// The body of `custom`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CustomBody {
    /// The extension's name for this kind of data.
    pub kind: String,
    /// The data.
    pub data: Value,
}

/// The body of `instruction_snapshot`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionSnapshotBody {
    /// The parts of the system prompt, in order. The prompt is their texts, joined by empty lines.
    pub parts: Vec<InstructionPart>,
}

impl InstructionSnapshotBody {
    /// The system prompt.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.parts.iter().map(|part| part.text.as_str()).collect();
        texts.join("\n\n")
    }
}

/// One part of a system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionPart {
    /// Where it comes from, such as `base` or `environment`.
    pub source: String,
    /// The text.
    pub text: String,
}

/// The body of `tool_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolStartedBody {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The id that the tool's result will have.
    pub event_id: EventId,
}

/// The body of `turn_waiting`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnWaitingBody {
    /// When the turn goes on, in milliseconds since 1970.
    pub until: u64,
    /// What it waits for, in words.
    pub reason: String,
}

/// The body of `turn_resumed`. It says no more than its `turnId`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnResumedBody {}

/// The body of `context_trim`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextTrimBody {
    /// The tool results that the model reads shortened from now on.
    pub event_ids: Vec<EventId>,
    /// How many characters of each remain.
    pub keep_chars: u64,
}

/// The body of `damage_accepted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DamageAcceptedBody {
    /// Where the damage begins in the log, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
}

/// The body of `seq_reserve`. Like every record it reserves the numbers after its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeqReserveBody {}
