//! Subscribers that are far behind.

use bytes::Bytes;
use scorel_proto::{Event, Seq, StopReason};
use scorel_session::SessionSettings;
use serde_json::Value;

use crate::follower::Follower;
use crate::rig::{Rig, settings};
use crate::stage::ModelCall;

/// How many deltas a block of the answer has.
const DELTAS: usize = 1500;

/// A ring that keeps everything.
fn rig() -> Rig {
    Rig::with(SessionSettings {
        ring_bytes: 64 * 1024 * 1024,
        ..settings()
    })
}

/// An answer with reasoning, text, a call, and text that is larger than a merged delta may be.
async fn talk(call: &ModelCall) {
    for number in 0..DELTAS {
        call.thinking(&format!("thought {number} ")).await;
    }
    for number in 0..DELTAS {
        call.text_in(1, &format!("word {number} ")).await;
    }
    call.tool_begins(2, "c1", "look", "{\"at\":\"").await;
    for _ in 0..DELTAS {
        let delta = "ß".to_owned();
        let event = scorel_engine::ProviderEvent::ToolCallDelta { block: 2, delta };
        call.event(event).await;
    }
    let delta = "\"}".to_owned();
    call.event(scorel_engine::ProviderEvent::ToolCallDelta { block: 2, delta })
        .await;
    for _ in 0..DELTAS {
        call.text_in(3, &"x".repeat(200)).await;
    }
}

fn events(taken: &[Bytes]) -> Vec<Event> {
    let decode = |json: &Bytes| Event::decode(std::str::from_utf8(json).expect("text"));
    taken.iter().filter_map(|json| decode(json).ok()).collect()
}

/// The first and the last event that something sent stands for.
fn range(event: &Event) -> (Seq, Seq) {
    match event {
        Event::Transient(event) => (event.first_seq(), event.seq),
        event => (event.seq(), event.seq()),
    }
}

async fn through(follower: &mut Follower, last: Seq) {
    while follower.anchors.stream_last_seq < Some(last) {
        follower.next().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_is_far_behind_gets_fewer_events_and_ends_with_the_same_view() {
    let rig = rig();
    let id = rig.session().await;
    let (mut steady, mut slow) = (rig.follow(id).await, rig.follow(id).await);
    rig.begin(id, "go").await;
    let call = rig.model().await;
    slow.until("turn_start").await;
    let behind = slow.taken.len();
    let (view, anchors) = (slow.view.clone(), slow.anchors);
    let read = async {
        while steady
            .view
            .open
            .messages
            .first()
            .map_or(0, |open| open.blocks.len())
            < 4
        {
            steady.next().await;
        }
    };
    tokio::join!(talk(&call), read);
    call.text_in(3, "the end").await;
    let last = loop {
        let event = steady.next().await;
        if event["delta"] == "the end" {
            break event["seq"].as_u64().and_then(Seq::new).expect("a number");
        }
    };

    through(&mut slow, last).await;
    assert_eq!(slow.view, steady.view);
    assert_eq!(slow.anchors, steady.anchors);
    let single = events(&steady.taken[behind..]);
    assert!(single.iter().all(|event| range(event).0 == event.seq()));
    let merged = events(&slow.taken[behind..]);
    assert!(merged.len() * 2 < single.len(), "{}", merged.len());
    let texts = slow
        .events()
        .into_iter()
        .map(|event: Value| event["delta"].as_str().map_or(0, str::len));
    assert!(texts.max() <= Some(64 * 1024));
    assert!(!slow.names()[behind..].contains(&"sync_start".to_owned()));
    is_each_once(&merged, &single);

    // A client that disconnects after a merged delta, or reconnects far behind, gets the rest.
    for cut in [1, merged.len() / 2, merged.len() - 1] {
        let mut view = view.clone();
        merged[..cut].iter().for_each(|event| view.apply(event));
        let anchors = scorel_proto::Anchors {
            stream_last_seq: Some(merged[cut - 1].seq()),
            persistent_last_id: None,
            ..anchors
        };
        let mut back = rig.follow_from(id, view, anchors).await;
        back.until("sync_end").await;
        assert_eq!(back.view, steady.view);
        let rest = events(&back.taken);
        let due: Vec<Event> = single
            .iter()
            .filter(|event| Some(event.seq()) > anchors.stream_last_seq)
            .cloned()
            .collect();
        is_each_once(&rest, &due);
    }
    call.done(StopReason::ToolUse).await;
    rig.tool().await.end("seen");
    rig.model().await.answer("done").await;
    slow.outcome().await;
    steady.outcome().await;
    assert_eq!(slow.view, steady.view);
}

/// Each event stands for the ones that are due next, in order and without overlap.
fn is_each_once(sent: &[Event], due: &[Event]) {
    let mut due = due.iter().map(Event::seq).peekable();
    for event in sent {
        let (first, last) = range(event);
        assert_eq!(due.next(), Some(first), "what {event:?} begins with");
        while due.next_if(|seq| *seq <= last).is_some() {}
    }
    assert_eq!(due.next(), None);
}
