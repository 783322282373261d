use scorel_client::{ClientAnchors, Connect, SessionStream};
use scorel_proto::{Event, EventId, SessionId, TurnId};
use serde_json::{Value, json};

use crate::peer::Peer;

/// The session of a test and the JSON of its events.
pub(crate) struct Script {
    pub(crate) session: SessionId,
    pub(crate) turn: TurnId,
}

impl Script {
    pub(crate) fn new() -> Self {
        Self {
            session: SessionId::generate(),
            turn: TurnId::generate(),
        }
    }

    pub(crate) fn note(&self, seq: u64, prev: u64) -> Value {
        json!({
            "type": "session_info", "changes": {"title": format!("t{seq}")},
            "id": EventId::generate(), "parentId": null, "seq": seq, "sessionId": self.session,
            "clientId": "daemon", "ts": 1, "prev": prev, "crc": "00000000",
        })
    }

    pub(crate) fn delta(&self, seq: u64) -> Value {
        json!({
            "type": "turn_start", "turnIndex": 0, "seq": seq, "sessionId": self.session,
            "clientId": "daemon", "ts": 1, "turnId": self.turn,
        })
    }

    pub(crate) fn start(&self, mode: &str) -> Value {
        json!({"type": "sync_start", "sessionId": self.session, "mode": mode})
    }

    pub(crate) fn end(&self, through: u64) -> Value {
        json!({"type": "sync_end", "sessionId": self.session, "throughSeq": through})
    }

    pub(crate) fn in_flight(&self, messages: &Value) -> Value {
        let queue = json!({"items": [], "version": 7, "paused": false});
        let in_flight = json!({
            "phase": "running", "turnId": self.turn, "messages": messages, "tools": [],
            "queue": queue, "permissions": [],
        });
        json!({"type": "in_flight", "sessionId": self.session, "inFlight": in_flight})
    }

    pub(crate) async fn open<'a>(
        &self,
        peer: &'a Peer,
        anchors: ClientAnchors,
    ) -> SessionStream<impl Connect + 'a> {
        let connect = || peer.connect();
        SessionStream::open(connect, self.session, anchors)
            .await
            .expect("subscribed")
    }
}

#[test]
fn the_scripted_events_are_events() {
    let script = Script::new();
    for event in [script.note(2, 1), script.delta(3)] {
        let event = Event::decode(&event.to_string()).expect("an event");
        assert!(!matches!(event, Event::Unknown(_)), "{event:?}");
    }
}
