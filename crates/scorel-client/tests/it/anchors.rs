use scorel_client::{ClientAnchors, EventNovelty};
use scorel_proto::{Event, EventId, Seq, SessionId, SessionView, SyncMarker, SyncMode, TurnId};
use serde_json::{Value, json};

fn seq(number: u64) -> Seq {
    Seq::new(number).expect("a seq")
}

/// Events of one message of one turn.
struct Message {
    session: SessionId,
    turn: TurnId,
    id: EventId,
}

impl Message {
    fn new() -> Self {
        Self {
            session: SessionId::generate(),
            turn: TurnId::generate(),
            id: EventId::generate(),
        }
    }

    fn event(&self, seq: u64, mut event: Value) -> Event {
        event["seq"] = json!(seq);
        event["sessionId"] = json!(self.session);
        event["turnId"] = json!(self.turn);
        event["eventId"] = json!(self.id);
        event["clientId"] = json!("daemon");
        event["ts"] = json!(1);
        let event = Event::decode(&event.to_string()).expect("an event");
        assert!(matches!(event, Event::Transient(_)), "{event:?}");
        event
    }

    fn begins(&self, seq: u64) -> Event {
        let start = json!({"type": "message_start", "parentId": null, "role": "assistant"});
        self.event(seq, start)
    }

    fn delta(&self, seq: u64, text: &str) -> Event {
        self.event(
            seq,
            json!({"type": "text_delta", "blockIndex": 0, "delta": text}),
        )
    }

    fn merged(&self, from: u64, seq: u64, text: &str) -> Event {
        let delta = json!({"type": "text_delta", "blockIndex": 0, "delta": text, "fromSeq": from});
        self.event(seq, delta)
    }
}

/// What a client at `anchors` shows of the events that are new to it.
fn folded(anchors: &mut ClientAnchors, events: &[Event]) -> SessionView {
    let mut view = SessionView::default();
    for event in events {
        if anchors.event(event) == EventNovelty::New {
            view.apply(event);
        }
    }
    view
}

#[test]
fn a_merged_delta_counts_for_every_event_that_it_stands_for() {
    let message = Message::new();
    let single = [
        message.begins(4),
        message.delta(5, "a"),
        message.delta(7, "b"),
        message.delta(8, "c"),
    ];
    let merged = [message.begins(4), message.merged(5, 8, "abc")];
    let (mut one, mut other) = (
        ClientAnchors::new(seq(3), Some(seq(3))),
        ClientAnchors::new(seq(3), Some(seq(3))),
    );
    assert_eq!(folded(&mut one, &single), folded(&mut other, &merged));
    assert_eq!(one, other, "the place is the same");
    assert_eq!(other.stream(), Some(seq(8)));
    assert_eq!(other.event(&message.delta(7, "b")), EventNovelty::Duplicate);
    assert_eq!(other.event(&merged[1]), EventNovelty::Duplicate);
    assert_eq!(other.event(&message.delta(9, "d")), EventNovelty::New);
}

#[test]
fn a_merged_delta_that_is_known_in_part_is_asked_for_anew() {
    let message = Message::new();
    let session_id = message.session;
    let mut anchors = ClientAnchors::new(seq(3), Some(seq(5)));
    assert_eq!(
        anchors.event(&message.merged(5, 8, "abc")),
        EventNovelty::Missing
    );
    assert_eq!(
        (anchors.persistent(), anchors.stream()),
        (seq(3), None),
        "what is open comes whole"
    );
    assert_eq!(
        anchors.event(&message.delta(9, "d")),
        EventNovelty::Duplicate
    );
    anchors.marker(&SyncMarker::SyncStart {
        session_id,
        mode: SyncMode::PersistentFallback,
        reason: None,
    });
    anchors.marker(&SyncMarker::SyncEnd {
        session_id,
        through_seq: seq(9),
    });
    assert_eq!(
        anchors.event(&message.merged(10, 12, "efg")),
        EventNovelty::New
    );
}
