//! Getting up to date page by page.

use scorel_proto::{
    Anchors, ErrorCode, Event, ResyncParams, ResyncResult, Seq, SessionId, SyncMode,
};
use scorel_session::{SessionError, SessionSettings};

use crate::rig::{Rig, settings};

pub(crate) async fn resync(
    rig: &Rig,
    id: SessionId,
    anchors: Anchors,
    page: Option<String>,
) -> Result<ResyncResult, SessionError> {
    let params = ResyncParams {
        session_id: id,
        persistent_last_seq: Some(anchors.persistent_last_seq),
        stream_last_seq: anchors.stream_last_seq,
        persistent_last_id: anchors.persistent_last_id,
        page,
    };
    rig.sessions.resync(params).await
}

/// A ring that keeps everything, and a session of messages of which one fills a page.
async fn large_session() -> (Rig, SessionId) {
    let rig = Rig::with(SessionSettings {
        ring_bytes: 64 * 1024 * 1024,
        ..settings()
    });
    let id = rig.session().await;
    for _ in 0..4 {
        rig.exchange(id, &"x".repeat(200 * 1024)).await;
    }
    (rig, id)
}

fn at(persistent: u64, stream: Option<u64>) -> Anchors {
    Anchors {
        persistent_last_seq: Seq::new(persistent).expect("small"),
        stream_last_seq: stream.map(|seq| Seq::new(seq).expect("small")),
        persistent_last_id: None,
    }
}

fn texts(page: &ResyncResult) -> Vec<String> {
    page.events
        .iter()
        .map(|event| event.text().to_owned())
        .collect()
}

/// All pages.
async fn pages(rig: &Rig, id: SessionId, anchors: Anchors) -> Vec<ResyncResult> {
    let mut pages = vec![resync(rig, id, anchors, None).await.expect("a page")];
    while let Some(next) = pages[pages.len() - 1].next_page.clone() {
        pages.push(resync(rig, id, anchors, Some(next)).await.expect("a page"));
    }
    pages
}

#[tokio::test(start_paused = true)]
async fn a_reload_gives_every_record_once_and_what_is_open_at_the_end() {
    let (rig, id) = large_session().await;
    let log = rig.log(id).lines;
    for (anchors, mode, skipped) in [
        (at(0, None), SyncMode::FullReload, 0),
        (at(1, None), SyncMode::PersistentFallback, 1),
    ] {
        let pages = pages(&rig, id, anchors).await;
        assert!(pages.len() > 3, "{} pages", pages.len());
        let events: Vec<String> = pages.iter().flat_map(texts).collect();
        assert_eq!(events, log[skipped..]);
        let (last, rest) = pages.split_last().expect("pages");
        assert!(
            rest.iter()
                .all(|page| page.in_flight.is_none() && page.through_seq.is_none())
        );
        assert!(pages.iter().all(|page| page.mode == mode));
        assert_eq!(last.through_seq, Some(last.current_seq));
        assert!(
            last.in_flight
                .as_ref()
                .expect("what is open")
                .open
                .is_empty()
        );
        let size = |page: &ResyncResult| texts(page).iter().map(String::len).sum::<usize>();
        assert!(pages.iter().all(|page| size(page) < 512 * 1024));
    }
}

#[tokio::test(start_paused = true)]
async fn records_written_between_two_pages_are_on_the_last_pages() {
    let (rig, id) = large_session().await;
    let first = resync(&rig, id, at(0, None), None).await.expect("a page");
    rig.exchange(id, "in between").await;
    let mut events = texts(&first);
    let mut next = first.next_page;
    while let Some(page) = next {
        let page = resync(&rig, id, at(0, None), Some(page))
            .await
            .expect("a page");
        events.extend(texts(&page));
        next = page.next_page;
    }
    assert_eq!(events, rig.log(id).lines);
}

#[tokio::test(start_paused = true)]
async fn a_resumed_stream_gives_the_records_that_are_missing_and_then_everything() {
    let (rig, id) = large_session().await;
    let follower_saw = {
        let mut follower = rig
            .follow_from(id, Default::default(), at(0, Some(1)))
            .await;
        follower.until("sync_end").await;
        let events = follower.taken.iter();
        let texts = events.map(|json| String::from_utf8(json.to_vec()).expect("text"));
        texts
            .filter(|text| text.contains("\"seq\""))
            .collect::<Vec<_>>()
    };
    let found = pages(&rig, id, at(0, Some(1))).await;
    assert!(found.len() > 3);
    assert!(found.iter().all(|page| page.mode == SyncMode::StreamResume));
    let events: Vec<String> = found.iter().flat_map(texts).collect();
    assert_eq!(events, follower_saw, "as a subscription does");

    // With all of the stream and hardly a record, the missing records come in pages.
    let end = rig.lane(id).await.session().expect("there").current_seq;
    let found = pages(&rig, id, at(1, Some(end.get()))).await;
    assert!(found.len() > 3);
    let events: Vec<String> = found.iter().flat_map(texts).collect();
    assert_eq!(events, rig.log(id).lines[1..]);
    assert_eq!(found[found.len() - 1].through_seq, Some(end));
}

#[tokio::test(start_paused = true)]
async fn a_page_says_that_it_fell_back_when_the_stream_is_gone_meanwhile() {
    let (rig, id) = large_session().await;
    let anchors = at(1, Some(1));
    let first = resync(&rig, id, anchors, None).await.expect("a page");
    assert_eq!(first.mode, SyncMode::StreamResume);
    rig.sessions.sweep().await;
    let mut records: Vec<String> = texts(&first)
        .into_iter()
        .filter(|text| is_record(text))
        .collect();
    let mut next = first.next_page;
    let mut last = None;
    while let Some(page) = next {
        let page = resync(&rig, id, anchors, Some(page)).await.expect("a page");
        assert_eq!(page.mode, SyncMode::PersistentFallback);
        records.extend(texts(&page));
        next = page.next_page.clone();
        last.get_or_insert(page);
    }
    assert!(last.expect("more pages").reason.is_some());
    assert_eq!(
        records,
        rig.log(id).lines[1..],
        "nothing twice and nothing left out"
    );
}

fn is_record(text: &str) -> bool {
    Event::decode(text).expect("an event").is_persistent()
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_never_offered_is_refused_or_harmless() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    for page in [
        "",
        "full",
        "full.x",
        "resume.1",
        "live.1.2",
        "live.1.2.3.4",
        "full.-1",
        "x.1",
    ] {
        let refused = resync(&rig, id, at(0, None), Some(page.to_owned())).await;
        assert_eq!(
            refused.expect_err("refused").code(),
            ErrorCode::InvalidParams,
            "{page}"
        );
    }
    for page in [
        "full.999999",
        "resume.9.1",
        "live.999999.1.1",
        "live.1.999999.7",
    ] {
        resync(&rig, id, at(0, None), Some(page.to_owned()))
            .await
            .expect("answered");
    }
    let unknown = resync(&rig, SessionId::generate(), at(0, None), None).await;
    assert_eq!(
        unknown.expect_err("refused").code(),
        ErrorCode::SessionNotFound
    );
}
