//! Events: the records of a session's log, and the transient events of a running turn.

mod agent_task;
mod auxiliary_usage;
mod blob_references;
mod compaction;
mod context_edit;
mod files;
mod instruction_part;
mod outcome;
mod permission;
mod persistent;
mod queue;
mod recorded_call;
mod runner;
mod signal_name;
mod tool_set;
mod transient;
mod typed_body;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use agent_task::*;
pub use auxiliary_usage::*;
pub use compaction::*;
pub use context_edit::*;
pub use files::*;
pub use instruction_part::*;
pub use outcome::*;
pub use permission::*;
pub use persistent::*;
pub use queue::*;
pub use recorded_call::*;
pub use runner::*;
pub use signal_name::*;
pub use tool_set::*;
pub use transient::*;

use crate::{ClientId, CommandId, EventId, Seq, SessionId, TurnId};

/// One event of a session, decoded.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A record of the log.
    Persistent(Box<PersistentEvent>),
    /// An event that was published but not stored.
    Transient(Box<TransientEvent>),
    /// An event of an unknown type, or of a known type with an unreadable body.
    Unknown(UnknownEvent),
}

/// The envelope of an event whose body this version cannot read.
///
/// The event itself is stored and forwarded as it is, byte for byte; see [`EncodedEvent`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The value of `type`.
    pub type_name: String,
    /// The event's id, if it is persistent.
    pub id: Option<EventId>,
    /// The event it attaches to, if it is part of the tree.
    pub parent_id: Option<EventId>,
    /// The event's number.
    pub seq: Seq,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// When it was created, in milliseconds since 1970.
    pub ts: u64,
    /// The turn that caused it, if any.
    pub turn_id: Option<TurnId>,
    /// The number of the preceding record; `None` for a transient event.
    pub prev: Option<Seq>,
    /// Why the body could not be decoded; `None` if the type is unknown.
    pub problem: Option<String>,
}

/// The fields common to all events, and those common to persistent events.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventEnvelope<'a> {
    #[serde(rename = "type", borrow)]
    type_name: Cow<'a, str>,
    seq: Seq,
    session_id: SessionId,
    client_id: ClientId,
    ts: u64,
    turn_id: Option<TurnId>,
    id: Option<EventId>,
    parent_id: Option<EventId>,
    command_id: Option<CommandId>,
    digest: Option<String>,
    origin: Option<Origin>,
    prev: Option<Seq>,
}

impl Event {
    /// Decodes an event from its JSON text. Unknown types, and bodies that do not match their type,
    /// become [`Event::Unknown`].
    ///
    /// # Errors
    ///
    /// If the text is not a JSON object with the fields common to all events.
    pub fn decode(text: &str) -> serde_json::Result<Self> {
        let envelope: EventEnvelope<'_> = serde_json::from_str(text)?;
        let name = envelope.type_name.as_ref();
        let problem = match PersistentBody::decode(name, text) {
            Some(Ok(body)) => match envelope.id {
                Some(id) => return Ok(Self::Persistent(Box::new(envelope.persistent(id, body)))),
                None => Some("missing field `id`".to_owned()),
            },
            Some(Err(error)) => Some(error.to_string()),
            None => match TransientBody::decode(name, text) {
                Some(Ok(body)) => return Ok(Self::Transient(Box::new(envelope.transient(body)))),
                Some(Err(error)) => Some(error.to_string()),
                None => None,
            },
        };
        Ok(Self::Unknown(envelope.unknown(problem)))
    }

    /// The event's number within its session.
    pub const fn seq(&self) -> Seq {
        match self {
            Self::Persistent(event) => event.seq,
            Self::Transient(event) => event.seq,
            Self::Unknown(event) => event.seq,
        }
    }

    /// The event's id; `None` for a transient event.
    pub const fn id(&self) -> Option<EventId> {
        match self {
            Self::Persistent(event) => Some(event.id),
            Self::Transient(_) => None,
            Self::Unknown(event) => event.id,
        }
    }

    /// The session that the event belongs to.
    pub const fn session_id(&self) -> SessionId {
        match self {
            Self::Persistent(event) => event.session_id,
            Self::Transient(event) => event.session_id,
            Self::Unknown(event) => event.session_id,
        }
    }

    /// When the event was created, in milliseconds since 1970.
    pub const fn ts(&self) -> u64 {
        match self {
            Self::Persistent(event) => event.ts,
            Self::Transient(event) => event.ts,
            Self::Unknown(event) => event.ts,
        }
    }

    /// The turn that caused the event, if any.
    pub const fn turn_id(&self) -> Option<TurnId> {
        match self {
            Self::Persistent(event) => event.turn_id,
            Self::Transient(event) => event.turn_id,
            Self::Unknown(event) => event.turn_id,
        }
    }

    /// The value of `type` on the wire.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Persistent(event) => event.body.type_name(),
            Self::Transient(event) => event.body.type_name(),
            Self::Unknown(event) => &event.type_name,
        }
    }

    /// Returns whether the event is a record of the log. An event of an unknown type is one if it carries
    /// `prev`.
    pub const fn is_persistent(&self) -> bool {
        match self {
            Self::Persistent(_) => true,
            Self::Transient(_) => false,
            Self::Unknown(event) => event.prev.is_some(),
        }
    }
}

impl EventEnvelope<'_> {
    fn persistent(self, id: EventId, body: PersistentBody) -> PersistentEvent {
        PersistentEvent {
            id,
            parent_id: self.parent_id,
            seq: self.seq,
            session_id: self.session_id,
            client_id: self.client_id,
            ts: self.ts,
            turn_id: self.turn_id,
            command_id: self.command_id,
            digest: self.digest,
            origin: self.origin,
            body,
            prev: self.prev,
        }
    }

    fn transient(self, body: TransientBody) -> TransientEvent {
        TransientEvent {
            seq: self.seq,
            session_id: self.session_id,
            client_id: self.client_id,
            ts: self.ts,
            turn_id: self.turn_id,
            body,
        }
    }

    fn unknown(self, problem: Option<String>) -> UnknownEvent {
        UnknownEvent {
            type_name: self.type_name.into_owned(),
            id: self.id,
            parent_id: self.parent_id,
            seq: self.seq,
            session_id: self.session_id,
            ts: self.ts,
            turn_id: self.turn_id,
            prev: self.prev,
            problem,
        }
    }
}

/// An event as the exact JSON text of its log line or broadcast. Fields that this version does not
/// know survive in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EncodedEvent(Box<RawValue>);

impl EncodedEvent {
    /// Wraps the JSON text of an event, unchecked; [`EncodedEvent::decode`] checks it.
    pub const fn new(text: Box<RawValue>) -> Self {
        Self(text)
    }

    /// The JSON text, without a newline.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Decodes the event.
    ///
    /// # Errors
    ///
    /// If the text is not a JSON object with the fields common to all events.
    pub fn decode(&self) -> serde_json::Result<Event> {
        Event::decode(self.text())
    }
}

impl PartialEq for EncodedEvent {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl JsonSchema for EncodedEvent {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "A persistent or a transient event. Other types may come; skip them.",
            "anyOf": [
                generator.subschema_for::<PersistentEvent>(),
                generator.subschema_for::<TransientEvent>(),
            ],
        })
    }
}
