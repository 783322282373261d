use std::time::Duration;

use scorel_client::{ClientAnchors, ClientError, Connect, SessionStream, StreamItem};
use scorel_proto::{Event, EventId, Seq, SyncMarker, SyncMode};
use serde_json::{Value, json};

use crate::peer::{Peer, Way, Wire};
use crate::script::Script;

fn seq(number: u64) -> Seq {
    Seq::new(number).expect("a seq")
}

async fn items(wire: &mut Wire, subscription: &str, items: &[Value]) {
    for item in items {
        wire.item(subscription, item).await;
    }
}

/// The items that the stream yields, in short: `e4` is an event, `resume` and `end9` are markers.
async fn take<C: Connect>(stream: &mut SessionStream<C>, count: usize) -> Vec<String> {
    let mut taken = Vec::new();
    while taken.len() < count {
        let item = stream.next().await.expect("no error").expect("an item");
        taken.push(match item {
            StreamItem::Event(_, event) => format!("e{}", event.seq()),
            StreamItem::Reconnecting { attempt, .. } => format!("reconnect{attempt}"),
            StreamItem::Marker(marker) => match *marker {
                SyncMarker::SyncStart { mode, .. } => short(mode).to_owned(),
                SyncMarker::SyncEnd { through_seq, .. } => format!("end{through_seq}"),
                SyncMarker::InFlight { .. } => "in_flight".to_owned(),
                SyncMarker::End { .. } => "over".to_owned(),
            },
        });
    }
    taken
}

/// Both sides of a conversation, to their ends. One that waits for ever is a failure.
async fn play<D>(daemon: impl Future<Output = D>, client: impl Future<Output = ()>) {
    let both = async { tokio::join!(daemon, client) };
    let ended = tokio::time::timeout(Duration::from_secs(120), both).await;
    ended.expect("both sides end");
}

fn short(mode: SyncMode) -> &'static str {
    match mode {
        SyncMode::StreamResume => "resume",
        SyncMode::PersistentFallback => "fallback",
        SyncMode::FullReload => "reload",
    }
}

fn place<C: Connect>(stream: &SessionStream<C>) -> (u64, Option<u64>) {
    let anchors = stream.anchors();
    (anchors.persistent().get(), anchors.stream().map(Seq::get))
}

/// Runs each test over every way to the peer.
macro_rules! over_every_way {
    ($(#[$attribute:meta] $test:ident,)*) => {
        mod over_the_socket {
            use super::Way;
            $(#[$attribute] async fn $test() { super::$test(Way::Socket).await; })*
        }

        mod over_a_network {
            use super::Way;
            $(#[$attribute] async fn $test() { super::$test(Way::Network).await; })*
        }
    };
}

over_every_way! {
    #[tokio::test(start_paused = true)] both_anchors_follow_the_events_and_name_the_place_after_a_break,
    #[tokio::test(start_paused = true)] a_reload_that_breaks_off_leaves_no_stream_state,
    #[tokio::test(start_paused = true)] a_daemon_that_stops_is_waited_for_and_a_refusal_is_final,
    #[tokio::test] a_repeated_event_is_yielded_once,
    #[tokio::test] a_missing_record_is_asked_for_at_the_last_one_without_stream_state,
    #[tokio::test] a_gap_that_the_daemon_cannot_fill_is_accepted_the_second_time,
    #[tokio::test] open_items_are_those_of_the_reload,
    #[tokio::test] a_state_from_before_the_anchors_goes_on,
    #[tokio::test] events_and_markers_of_the_future_do_no_harm,
    #[tokio::test] a_session_that_is_deleted_ends_the_stream,
}

async fn both_anchors_follow_the_events_and_name_the_place_after_a_break(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        assert_eq!(wire.subscribe("a").await, (json!(0), Value::Null));
        let first = [
            script.start("full_reload"),
            script.note(1, 0),
            script.note(3, 1),
            script.in_flight(&json!([])),
            script.end(5),
            script.delta(6),
            script.note(7, 3),
            script.delta(8),
        ];
        items(&mut wire, "a", &first).await;
        drop(wire);
        let mut wire = peer.accept().await;
        assert_eq!(wire.subscribe("b").await, (json!(7), json!(8)));
        let second = [
            script.start("stream_resume"),
            script.delta(9),
            script.end(9),
            script.delta(10),
        ];
        items(&mut wire, "b", &second).await;
        wire
    };
    let client = async {
        let mut stream = script.open(&peer, ClientAnchors::default()).await;
        let first = take(&mut stream, 8).await;
        assert_eq!(first.join(" "), "reload e1 e3 in_flight end5 e6 e7 e8");
        assert_eq!(place(&stream), (7, Some(8)));
        let second = take(&mut stream, 5).await;
        assert_eq!(second.join(" "), "reconnect1 resume e9 end9 e10");
        assert_eq!(place(&stream), (7, Some(10)));
        assert_eq!(stream.view().state.title.as_deref(), Some("t7"));
    };
    tokio::join!(daemon, client);
}

async fn a_repeated_event_is_yielded_once(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        assert_eq!(wire.subscribe("a").await, (json!(2), json!(5)));
        let sent = [
            script.start("stream_resume"),
            script.note(2, 1),
            // In (P, S]: a record that the client had not got, although it had got later deltas.
            script.note(4, 2),
            script.delta(5),
            script.delta(6),
            script.note(4, 2),
            script.delta(6),
            script.end(6),
            script.delta(7),
        ];
        items(&mut wire, "a", &sent).await;
        wire
    };
    let client = async {
        let mut stream = script
            .open(&peer, ClientAnchors::new(seq(2), Some(seq(5))))
            .await;
        let taken = take(&mut stream, 5).await;
        assert_eq!(taken.join(" "), "resume e4 e6 end6 e7");
        assert_eq!(place(&stream), (4, Some(7)));
    };
    Box::pin(play(daemon, client)).await;
}

async fn a_missing_record_is_asked_for_at_the_last_one_without_stream_state(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        let sent = [
            script.start("stream_resume"),
            script.end(2),
            script.note(9, 6),
            script.delta(10),
        ];
        items(&mut wire, "a", &sent).await;
        wire.expect("unsubscribeEvents").await;
        assert_eq!(wire.subscribe("b").await, (json!(2), Value::Null));
        let again = [
            script.start("persistent_fallback"),
            script.note(6, 2),
            script.note(9, 6),
            script.end(10),
        ];
        items(&mut wire, "b", &again).await;
        wire
    };
    let client = async {
        let mut stream = script
            .open(&peer, ClientAnchors::new(seq(2), Some(seq(2))))
            .await;
        let taken = take(&mut stream, 6).await;
        assert_eq!(taken.join(" "), "resume end2 fallback e6 e9 end10");
        assert_eq!(place(&stream), (9, Some(10)));
    };
    Box::pin(play(daemon, client)).await;
}

async fn a_gap_that_the_daemon_cannot_fill_is_accepted_the_second_time(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        wire.item("a", &script.start("persistent_fallback")).await;
        wire.item("a", &script.note(9, 6)).await;
        wire.expect("unsubscribeEvents").await;
        assert_eq!(wire.subscribe("b").await, (json!(2), Value::Null));
        wire.item("b", &script.start("persistent_fallback")).await;
        wire.item("b", &script.note(9, 6)).await;
        wire.item("b", &script.note(11, 9)).await;
        wire.item("b", &script.end(11)).await;
        wire
    };
    let client = async {
        let mut stream = script.open(&peer, ClientAnchors::new(seq(2), None)).await;
        let taken = take(&mut stream, 5).await;
        assert_eq!(taken.join(" "), "fallback fallback e9 e11 end11");
    };
    Box::pin(play(daemon, client)).await;
}

async fn a_reload_that_breaks_off_leaves_no_stream_state(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        assert_eq!(wire.subscribe("a").await, (json!(2), json!(8)));
        wire.item("a", &script.start("persistent_fallback")).await;
        wire.item("a", &script.note(4, 2)).await;
        drop(wire);
        let mut wire = peer.accept().await;
        assert_eq!(wire.subscribe("b").await, (json!(4), Value::Null));
        wire.item("b", &script.start("full_reload")).await;
        drop(wire);
        let mut wire = peer.accept().await;
        assert_eq!(wire.subscribe("c").await, (json!(0), Value::Null));
        wire.item("c", &script.start("full_reload")).await;
        wire
    };
    let client = async {
        let mut stream = script
            .open(&peer, ClientAnchors::new(seq(2), Some(seq(8))))
            .await;
        let taken = take(&mut stream, 6).await;
        assert_eq!(
            taken.join(" "),
            "fallback e4 reconnect1 reload reconnect1 reload"
        );
        assert_eq!(place(&stream), (0, None));
        assert_eq!(*stream.view(), scorel_proto::SessionView::default());
    };
    tokio::join!(daemon, client);
}

async fn open_items_are_those_of_the_reload(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let message = EventId::generate();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        let open = json!([{"eventId": message, "parentId": null, "role": "assistant",
            "blocks": [{"type": "text", "text": "so far"}]}]);
        let more = json!({"type": "text_delta", "eventId": message, "blockIndex": 0,
            "delta": " and on", "seq": 4, "sessionId": script.session, "clientId": "daemon",
            "ts": 1, "turnId": script.turn});
        let sent = [
            script.start("persistent_fallback"),
            script.in_flight(&open),
            script.end(3),
            more,
            script.start("persistent_fallback"),
            script.end(4),
        ];
        items(&mut wire, "a", &sent).await;
        wire
    };
    let client = async {
        let mut stream = script.open(&peer, ClientAnchors::new(seq(2), None)).await;
        take(&mut stream, 4).await;
        let view = stream.view();
        let text = format!("{:?}", view.open.messages[0].blocks);
        assert!(text.contains("so far and on"), "{text}");
        assert_eq!(view.state.turn_id(), Some(script.turn));
        assert_eq!(view.state.queue.version, 7);
        take(&mut stream, 2).await;
        assert!(stream.view().open.is_empty(), "a reload that names nothing");
    };
    Box::pin(play(daemon, client)).await;
}

async fn a_state_from_before_the_anchors_goes_on(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        let sent = [
            script.start("persistent_fallback"),
            script.note(4, 2),
            script.in_flight(&json!([])),
            script.end(9),
        ];
        items(&mut wire, "a", &sent).await;
        wire
    };
    let client = async {
        let mut view = scorel_proto::SessionView::default();
        view.state.model = Some("of before".to_owned());
        let stream = script.open(&peer, ClientAnchors::new(seq(2), None)).await;
        let mut stream = stream.with_view(view);
        take(&mut stream, 4).await;
        let state = &stream.view().state;
        assert_eq!(state.model.as_deref(), Some("of before"));
        assert_eq!(state.title.as_deref(), Some("t4"));
        assert_eq!(state.last_seq, seq(9), "what was given, yielded or not");
    };
    Box::pin(play(daemon, client)).await;
}

async fn events_and_markers_of_the_future_do_no_harm(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let mut future = script.note(5, 2);
    future["type"] = json!("hologram");
    let text = future.to_string();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        let marker = json!({"type": "sync_hint", "sessionId": script.session});
        let sent = [script.start("stream_resume"), marker, future, script.end(5)];
        items(&mut wire, "a", &sent).await;
        wire
    };
    let client = async {
        let mut stream = script
            .open(&peer, ClientAnchors::new(seq(2), Some(seq(2))))
            .await;
        stream.next().await.expect("no error");
        let Ok(Some(StreamItem::Event(encoded, Event::Unknown(event)))) = stream.next().await
        else {
            panic!("an event of a type that is not known")
        };
        assert_eq!(event.type_name, "hologram");
        assert_eq!(encoded.text(), text, "byte for byte");
        assert_eq!(place(&stream), (5, Some(5)));
    };
    Box::pin(play(daemon, client)).await;
}

async fn a_session_that_is_deleted_ends_the_stream(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        let end = json!({"type": "end", "sessionId": script.session, "reason": "deleted"});
        wire.item("a", &end).await;
    };
    let client = async {
        let mut stream = script.open(&peer, ClientAnchors::default()).await;
        assert_eq!(take(&mut stream, 1).await, ["over"]);
        assert!(stream.next().await.expect("no error").is_none());
        assert!(stream.next().await.expect("no error").is_none());
    };
    Box::pin(play(daemon, client)).await;
}

async fn a_daemon_that_stops_is_waited_for_and_a_refusal_is_final(way: Way) {
    let peer = Peer::reached_by(way);
    let script = Script::new();
    let daemon = async {
        let mut wire = peer.accept().await;
        wire.subscribe("a").await;
        let end = json!({"type": "end", "sessionId": script.session, "reason": "shutting_down"});
        wire.item("a", &end).await;
        drop(wire);
        let mut wire = peer.accept().await;
        let call = wire.expect("subscribeEvents").await;
        wire.refuse(&call, 1016, "shutting_down").await;
        drop(wire);
        let mut wire = peer.accept().await;
        let call = wire.expect("subscribeEvents").await;
        wire.refuse(&call, 1001, "session_not_found").await;
        wire
    };
    let client = async {
        let mut stream = script.open(&peer, ClientAnchors::default()).await;
        let taken = take(&mut stream, 3).await;
        assert_eq!(taken, ["over", "reconnect1", "reconnect2"]);
        let error = stream.next().await.expect_err("refused");
        assert!(matches!(error, ClientError::Rpc(_)), "{error:?}");
        assert!(stream.next().await.expect("no error").is_none());
    };
    tokio::join!(daemon, client);
}
