//! How events are decoded: an unknown type is kept, a malformed text is refused, nothing panics.

use proptest::prelude::*;
use scorel_proto::{CompactionTrigger, ContextWindow, EncodedEvent, Event, PersistentBody};
use serde_json::{Value, json};

use crate::samples;

/// An event with the fields that every event has, and `more`.
fn event(type_name: &str, more: &Value) -> Value {
    let mut event = json!({
        "type": type_name,
        "id": "evt_01K1H9Q8000000000000000002",
        "parentId": null,
        "seq": 7,
        "sessionId": "ses_01K1H9Q8000000000000000001",
        "clientId": "daemon",
        "ts": 1,
        "prev": 4,
        "crc": "00c0ffee",
    });
    for (key, value) in more.as_object().unwrap() {
        event[key] = value.clone();
    }
    event
}

fn decode(event: &Value) -> Event {
    Event::decode(&event.to_string()).unwrap()
}

#[test]
fn an_unknown_type_is_kept_with_what_every_event_has() {
    let event = decode(&event("mood_change", &json!({"mood": {"deep": [1, 2.50]}})));
    assert_eq!(event.type_name(), "mood_change");
    assert_eq!(event.seq().get(), 7);
    assert!(event.is_persistent());
    let Event::Unknown(event) = event else {
        panic!("it was understood")
    };
    assert_eq!(event.prev.map(scorel_proto::Seq::get), Some(4));
    assert_eq!(event.problem, None);
}

#[test]
fn an_unknown_type_without_prev_is_transient() {
    let mut event = event("pulse", &json!({}));
    event.as_object_mut().unwrap().remove("prev");
    assert!(!decode(&event).is_persistent());
}

#[test]
fn unknown_fields_do_not_hinder_a_known_type() {
    let event = decode(&event("seq_reserve", &json!({"future": true})));
    let Event::Persistent(event) = event else {
        panic!("it was not understood")
    };
    assert_eq!(
        event.body,
        PersistentBody::SeqReserve(scorel_proto::SeqReserveBody {})
    );
}

/// As an unknown event it would be none, and the next request would hold all that it replaces.
#[test]
fn a_summary_of_a_newer_version_still_replaces_what_it_covers() {
    let compact = include_str!("../golden/event/compact.json");
    let mut compact: Value = serde_json::from_str(compact).unwrap();
    compact["trigger"] = json!("idle");
    compact["quality"] = json!({"score": 3});
    compact["facts"]["branches"] = json!(["main"]);
    let Event::Persistent(event) = decode(&compact) else {
        panic!("it was not understood");
    };
    let PersistentBody::Compact(body) = &event.body else {
        panic!("{event:?}");
    };
    assert_eq!(body.trigger, CompactionTrigger::Other);
    assert_eq!(body.facts.files, ["src/main.rs"]);
    let window = ContextWindow::beginning_with(Some(&event));
    assert_eq!(window.barrier(), Some(event.seq));
}

#[test]
fn a_known_type_of_another_shape_is_unknown_with_a_reason() {
    let message = json!({"role": "user", "content": [{"type": "hologram", "depth": 3}]});
    for event in [
        event("message", &json!({"message": message})),
        event("rewind", &json!({"targetEventId": 5})),
        event("text_delta", &json!({})),
        event("turn_outcome", &json!({"reason": "bored"})),
    ] {
        let Event::Unknown(unknown) = decode(&event) else {
            panic!("{event} was understood")
        };
        assert!(unknown.problem.is_some(), "{event} gives no reason");
    }
}

#[test]
fn an_encoded_event_travels_byte_for_byte() {
    let text = r#"{"type":"mood" , "seq":1,"x":1.50e3,"y":"ä","x":2,  "z":123456789012345678901}"#;
    let encoded: EncodedEvent = serde_json::from_str(text).unwrap();
    assert_eq!(encoded.text(), text);
    assert_eq!(serde_json::to_string(&encoded).unwrap(), text);
    let nested = format!("[{text},{text}]");
    let list: Vec<EncodedEvent> = serde_json::from_str(&nested).unwrap();
    assert_eq!(serde_json::to_string(&list).unwrap(), nested);
}

#[test]
fn a_text_without_the_fields_of_every_event_is_refused() {
    let whole = event("seq_reserve", &json!({}));
    for field in ["type", "seq", "sessionId", "clientId", "ts"] {
        let mut event = whole.clone();
        event.as_object_mut().unwrap().remove(field);
        assert!(
            Event::decode(&event.to_string()).is_err(),
            "accepted without {field}"
        );
    }
    for (field, value) in [
        ("seq", json!(9_007_199_254_740_992_u64)),
        ("seq", json!(-1)),
        ("sessionId", json!("ses_../../x")),
        ("clientId", json!("root")),
        ("id", json!("evt_")),
        ("ts", json!("today")),
        ("type", json!(1)),
    ] {
        let mut event = whole.clone();
        event[field] = value.clone();
        assert!(
            Event::decode(&event.to_string()).is_err(),
            "accepted {field} = {value}"
        );
    }
    for text in [
        "",
        "null",
        "[]",
        "{",
        "{}",
        "\"x\"",
        "{\"type\":\"message\"}",
        "\u{0}",
    ] {
        assert!(Event::decode(text).is_err(), "accepted {text:?}");
    }
}

proptest! {
    #[test]
    fn decoding_never_panics_whatever_the_text(text in "\\PC{0,200}") {
        let _ = Event::decode(&text);
    }

    #[test]
    fn decoding_never_panics_on_a_damaged_event(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        put in "\\PC{0,3}",
    ) {
        let events: Vec<_> = samples::all()
            .into_iter()
            .filter(|golden| golden.name.starts_with("event/"))
            .collect();
        let mut text = which.get(&events).encoded.to_string();
        let mut place = at.index(text.len());
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        let end = text[place..].chars().next().map_or(place, |char| place + char.len_utf8());
        text.replace_range(place..end, &put);
        let _ = Event::decode(&text);
    }
}
