//! Which way of getting up to date a client's anchors lead to.

use scorel_proto::{Anchors, Seq, SessionId, SessionView, SyncMode};

use crate::pages::resync;
use crate::rig::Rig;

const FULL: &str = "full_reload";
const FALLBACK: &str = "persistent_fallback";
const RESUME: &str = "stream_resume";

fn anchors(persistent: u64, stream: Option<u64>) -> Anchors {
    let seq = |value| Seq::new(value).expect("small");
    Anchors {
        persistent_last_seq: seq(persistent),
        stream_last_seq: stream.map(seq),
        persistent_last_id: None,
    }
}

/// The mode that a subscription and a resync give, and whether they say why.
async fn mode(rig: &Rig, id: SessionId, anchors: Anchors) -> (String, bool) {
    let mut follower = rig.follow_from(id, SessionView::default(), anchors).await;
    let start = follower.next().await;
    let page = resync(rig, id, anchors, None).await.expect("answered");
    let mode = start["mode"].as_str().expect("a mode").to_owned();
    let of_page = match page.mode {
        SyncMode::FullReload => FULL,
        SyncMode::PersistentFallback => FALLBACK,
        SyncMode::StreamResume => RESUME,
    };
    assert_eq!(of_page, mode, "both ways agree");
    assert_eq!(page.reason.is_some(), start["reason"].is_string());
    (mode, page.reason.is_some())
}

#[tokio::test(start_paused = true)]
async fn anchors_decide_the_mode() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "hello").await;
    let end = rig
        .lane(id)
        .await
        .session()
        .expect("there")
        .current_seq
        .get();
    // 1 user, 2 runtime_start, 3 instruction_snapshot, 4 turn_start, …, the outcome.
    let cases = [
        (0, None, FULL, false),
        (0, Some(0), FULL, false),
        (0, Some(1), RESUME, false),
        (1, None, FALLBACK, false),
        (end, None, FALLBACK, false),
        (1, Some(1), RESUME, false),
        (1, Some(4), RESUME, false),
        (end, Some(end), RESUME, false),
        (3, Some(1), FULL, true),
        (2, Some(2), FULL, true),
        (2, None, FULL, true),
        (1, Some(end + 1), FULL, true),
        (end + 1, Some(end + 1), FULL, true),
    ];
    for (persistent, stream, expected, says_why) in cases {
        let found = mode(&rig, id, anchors(persistent, stream)).await;
        assert_eq!(
            found,
            (expected.to_owned(), says_why),
            "{persistent} {stream:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn stale_anchors_fall_back_once_the_stream_is_forgotten() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "hello").await;
    let end = rig
        .lane(id)
        .await
        .session()
        .expect("there")
        .current_seq
        .get();
    rig.sessions.sweep().await;
    let restarted = rig.restarted();
    for rig in [&rig, &restarted] {
        let found = mode(rig, id, anchors(1, Some(4))).await;
        assert_eq!(found, (FALLBACK.to_owned(), true));
        let found = mode(rig, id, anchors(1, Some(end))).await;
        assert_eq!(
            found,
            (RESUME.to_owned(), false),
            "nothing is missing in the stream"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_anchors_of_another_session_lead_to_a_full_reload() {
    let rig = Rig::new();
    let (long, short) = (rig.session().await, rig.session().await);
    rig.exchange(long, "one").await;
    rig.exchange(long, "two").await;
    rig.exchange(short, "one").await;
    let end = rig
        .lane(long)
        .await
        .session()
        .expect("there")
        .current_seq
        .get();
    let found = mode(&rig, short, anchors(end, Some(end))).await;
    assert_eq!(found, (FULL.to_owned(), true));
}

#[tokio::test(start_paused = true)]
async fn anchors_into_an_empty_session_lead_to_a_full_reload() {
    let rig = Rig::new();
    let id = rig.session().await;
    assert_eq!(
        mode(&rig, id, anchors(0, None)).await,
        (FULL.to_owned(), false)
    );
    assert_eq!(
        mode(&rig, id, anchors(0, Some(7))).await,
        (FULL.to_owned(), true)
    );
    assert_eq!(
        mode(&rig, id, anchors(7, None)).await,
        (FULL.to_owned(), true)
    );
}
