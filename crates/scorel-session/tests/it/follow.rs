//! Clients that follow a session, with interruptions.

use bytes::Bytes;
use futures_util::FutureExt;
use scorel_proto::{Anchors, Event, Seq, SessionId, SessionView, StopReason, SyncMode};
use scorel_session::SessionSettings;
use serde_json::json;

use crate::follower::{Follower, within};
use crate::log::name;
use crate::rig::{Rig, settings};

/// Plays a turn with reasoning, text, tools that show something, and two answers.
async fn play(rig: &Rig) {
    let call = rig.model().await;
    call.thinking("let me ").await;
    call.thinking("see").await;
    call.text_in(1, "I will look ").await;
    call.text_in(1, "at two things").await;
    call.tool_begins(2, "c1", "look", "{\"at\":1}").await;
    call.tool_begins(3, "c2", "peek", "{}").await;
    call.done(StopReason::ToolUse).await;
    let (first, second) = (rig.tool().await, rig.tool().await);
    second.show(json!({"percent": 50}));
    second.end("two");
    first.end("one");
    let call = rig.model().await;
    for word in ["and ", "so ", "it ", "is"] {
        call.text(word).await;
    }
    call.done(StopReason::EndTurn).await;
}

/// A session with one such turn, and everything that a client saw of it.
async fn played() -> (Rig, SessionId, Vec<Bytes>) {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let synced = follower.taken.len();
    rig.begin(id, "go").await;
    play(&rig).await;
    follower.outcome().await;
    let events = follower.taken.split_off(synced);
    (rig, id, events)
}

/// What a client has that saw these events.
fn seen(events: &[Bytes]) -> (SessionView, Anchors) {
    let mut view = SessionView::default();
    let mut anchors = Anchors {
        stream_last_seq: Some(Seq::ZERO),
        persistent_last_id: None,
        ..Anchors::default()
    };
    for json in events {
        let event = Event::decode(std::str::from_utf8(json).expect("text")).expect("an event");
        if event.is_persistent() {
            anchors.persistent_last_seq = event.seq();
        }
        anchors.stream_last_seq = Some(event.seq());
        view.apply(&event);
    }
    (view, anchors)
}

fn events(follower: &Follower) -> Vec<Bytes> {
    let is_event = |json: &&Bytes| json.windows(6).any(|part| part == b"\"seq\":");
    follower.taken.iter().filter(is_event).cloned().collect()
}

#[tokio::test(start_paused = true)]
async fn two_clients_see_the_same_bytes() {
    let rig = Rig::new();
    let id = rig.session().await;
    let (mut one, mut two) = (rig.follow(id).await, rig.follow(id).await);
    rig.begin(id, "go").await;
    play(&rig).await;
    one.outcome().await;
    two.outcome().await;
    assert_eq!(one.taken, two.taken);
    assert_eq!(one.view, two.view);
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_was_away_since_any_event_gets_exactly_what_follows_it() {
    let (rig, id, all) = played().await;
    let folded = rig.check(id).await.fold();
    for cut in 1..=all.len() {
        let (view, anchors) = seen(&all[..cut]);
        let mut follower = rig.follow_from(id, view, anchors).await;
        follower.until("sync_end").await;
        assert_eq!(events(&follower), all[cut..], "away since event {cut}");
        assert_eq!(follower.view, folded);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_without_the_stream_gets_the_records_since_any_of_them() {
    let (rig, id, all) = played().await;
    rig.sessions.sweep().await;
    let folded = rig.check(id).await.fold();
    for cut in 1..=all.len() {
        let (view, anchors) = seen(&all[..cut]);
        let mut follower = rig.follow_from(id, view, anchors).await;
        follower.until("sync_end").await;
        assert_eq!(follower.view.tree, folded.tree, "away since event {cut}");
        assert_eq!(follower.view.open, folded.open);
        assert_eq!(
            follower.anchors.stream_last_seq,
            Some(folded.state.last_seq)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reconnects_after_every_event_misses_nothing() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut steady = rig.follow(id).await;
    let mut shaky = rig.follow(id).await;
    let mut got = Vec::new();
    rig.begin(id, "go").await;
    let play = async {
        play(&rig).await;
        steady.outcome().await;
    };
    let reconnect = async {
        loop {
            let value = shaky.next().await;
            let is_event = value["seq"].is_u64();
            if is_event {
                got.extend(shaky.taken.pop());
            }
            if is_event && name(&value) == "turn_outcome" {
                return;
            }
            // Markers are no place to be interrupted at: the client is not up to date there.
            if is_event {
                let (view, anchors) = (shaky.view.clone(), shaky.anchors);
                shaky = rig.follow_from(id, view, anchors).await;
            }
        }
    };
    tokio::join!(play, reconnect);
    assert_eq!(got, events(&steady));
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_joins_in_the_middle_of_a_message_ends_with_the_same_text() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut early = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.thinking("hm").await;
    call.text_in(1, "one ").await;
    early.until("text_delta").await;
    let mut late = rig.follow(id).await;
    assert_eq!(late.view.open, early.view.open);
    assert_eq!(late.view.open.messages[0].blocks.len(), 2);
    call.text_in(1, "two").await;
    early.until("text_delta").await;
    late.until("text_delta").await;
    assert_eq!(late.view.open, early.view.open);
    call.done(StopReason::EndTurn).await;
    early.outcome().await;
    late.outcome().await;
    assert_eq!(late.view, early.view);
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_falls_back_and_ends_with_the_same_view() {
    let rig = Rig::with(SessionSettings {
        ring_bytes: 4096,
        ..settings()
    });
    let id = rig.session().await;
    let mut slow = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    slow.until("turn_start").await;
    for number in 0..1000 {
        call.text(&format!("{number} ")).await;
    }
    let again = slow.until("sync_start").await;
    assert_eq!(again["mode"], json!(SyncMode::PersistentFallback));
    assert!(again["reason"].is_string());
    slow.until("sync_end").await;
    call.done(StopReason::EndTurn).await;
    slow.outcome().await;
    let log = rig.check(id).await;
    assert_eq!(slow.view.tree, log.fold().tree);
    assert_eq!(slow.view.state.usage, log.fold().state.usage);
}

#[tokio::test(start_paused = true)]
async fn a_ring_of_one_event_is_enough_for_clients_to_end_with_the_same_view() {
    let rig = Rig::with(SessionSettings {
        ring_bytes: 1,
        ..settings()
    });
    let id = rig.session().await;
    let (mut one, mut two) = (rig.follow(id).await, rig.follow(id).await);
    rig.begin(id, "go").await;
    play(&rig).await;
    one.outcome().await;
    two.outcome().await;
    let folded = rig.check(id).await.fold();
    assert_eq!(
        (&one.view.tree, &one.view.open),
        (&folded.tree, &folded.open)
    );
    assert_eq!(
        (&two.view.tree, &two.view.open),
        (&folded.tree, &folded.open)
    );
}

#[tokio::test(start_paused = true)]
async fn a_long_log_comes_in_batches_of_bounded_size() {
    let rig = Rig::new();
    let id = rig.session().await;
    for _ in 0..4 {
        rig.exchange(id, &"x".repeat(200 * 1024)).await;
    }
    let mut subscriber = rig
        .sessions
        .subscribe(id, Anchors::default())
        .await
        .expect("there");
    let mut lines = Vec::new();
    loop {
        let batch = subscriber
            .next_batch()
            .await
            .expect("readable")
            .expect("more");
        let bytes: usize = batch.iter().map(Bytes::len).sum();
        assert!(bytes < 512 * 1024, "{bytes}");
        let done = batch
            .iter()
            .any(|json| json.starts_with(b"{\"type\":\"sync_end\""));
        lines.extend(batch);
        if done {
            break;
        }
    }
    lines.retain(|json| json.windows(6).any(|part| part == b"\"seq\":"));
    assert_eq!(lines, rig.log(id).lines);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_for_a_batch_loses_nothing() {
    let rig = Rig::new();
    let id = rig.session().await;
    // Too much for one batch.
    for _ in 0..4 {
        rig.exchange(id, &"x".repeat(200 * 1024)).await;
    }
    let mut subscriber = rig
        .sessions
        .subscribe(id, Anchors::default())
        .await
        .expect("there");
    let mut lines: Vec<Bytes> = Vec::new();
    let feed = async {
        rig.begin(id, "go").await;
        play(&rig).await;
    };
    tokio::pin!(feed);
    let mut playing = true;
    while outcomes(&lines) < 5 {
        // Given up wherever it waits first, for example within a read of the log.
        if let Some(batch) = subscriber.next_batch().now_or_never() {
            lines.extend(batch.expect("readable").expect("more"));
            continue;
        }
        tokio::select! {
            batch = within(subscriber.next_batch()) => lines.extend(batch.expect("readable").expect("more")),
            () = &mut feed, if playing => playing = false,
        }
    }
    let events = lines
        .iter()
        .filter_map(|json| Event::decode(std::str::from_utf8(json).expect("text")).ok());
    let events: Vec<Event> = events.collect();
    assert!(events.is_sorted_by(|a, b| a.seq() < b.seq()));
    let records = events.iter().filter(|event| event.is_persistent()).count();
    let log = rig.check(id).await;
    assert_eq!(records, log.lines.len());
}

fn outcomes(lines: &[Bytes]) -> usize {
    let outcome = b"\"type\":\"turn_outcome\"";
    let is_outcome = |json: &&Bytes| json.windows(outcome.len()).any(|part| part == outcome);
    lines.iter().filter(is_outcome).count()
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_is_behind_by_what_its_receiver_has_not_asked_for() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut subscriber = rig
        .sessions
        .subscribe(id, Anchors::default())
        .await
        .unwrap();
    let lag = subscriber.lag();
    assert_eq!(lag.session_id(), id);
    let head = rig
        .sessions
        .get(id)
        .await
        .unwrap()
        .session()
        .unwrap()
        .current_seq
        .get();
    assert_eq!(lag.events(), head, "nothing was taken");
    let mut asked = within(subscriber.next_batch()).await.expect("readable");
    while asked.is_some() && lag.events() > 0 {
        asked = within(async { subscriber.next_batch().now_or_never() })
            .await
            .and_then(|batch| batch.expect("readable"));
    }
    assert_eq!(lag.events(), 0, "caught up, and waiting");
    rig.begin(id, "go").await;
    play(&rig).await;
    let mut other = rig.follow(id).await;
    other.outcome().await;
    let behind = lag.events();
    assert!(behind > 10, "{behind}");
    within(subscriber.next_batch()).await.expect("readable");
    assert_eq!(lag.events(), behind, "the batch may still be on its way");
    assert!(subscriber.next_batch().now_or_never().is_none());
    assert_eq!(lag.events(), 0);
}
