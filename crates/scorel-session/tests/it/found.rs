//! Logs that are damaged while their session is in memory.

use std::fs;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use scorel_proto::{Anchors, Phase, SessionId};
use scorel_session::{DamageAcceptance, SessionError};

use crate::follower::Follower;
use crate::rig::{Rig, message};

/// A session in memory with three exchanges, and its records.
async fn session() -> (Rig, SessionId, Vec<String>) {
    let rig = Rig::new();
    let id = rig.session().await;
    for question in ["one", "two", "three"] {
        rig.exchange(id, question).await;
    }
    rig.sessions.sweep().await;
    let lines = rig.log(id).lines;
    (rig, id, lines)
}

/// Changes a byte of a record in place, as a failing disk does.
pub(crate) fn damage(rig: &Rig, id: SessionId, line: &str, change: impl Fn(u8) -> u8) {
    let path = rig.dir(id).join("events.jsonl");
    let log = fs::read(&path).expect("a log");
    let at = find(&log, line) + 20;
    let file = fs::OpenOptions::new().write(true).open(&path);
    let file = file.expect("writable");
    file.write_all_at(&[change(log[at])], at as u64)
        .expect("written");
}

fn find(log: &[u8], line: &str) -> usize {
    let at = log
        .windows(line.len())
        .position(|part| part == line.as_bytes());
    at.expect("the line")
}

/// The places that sending is refused for.
pub(crate) async fn places(rig: &Rig, id: SessionId) -> Vec<(u64, u64)> {
    match rig.send(id, message("more")).await {
        Err(SessionError::Damaged { places, .. }) => places
            .iter()
            .map(|place| (place.offset, place.length))
            .collect(),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn accept(rig: &Rig, id: SessionId, (offset, length): (u64, u64)) {
    let command = message("accept").command;
    let lane = rig.lane(id).await;
    let accepted = lane
        .mutate(DamageAcceptance {
            command,
            offset,
            length,
        })
        .await;
    accepted.expect("accepted");
}

async fn phase(rig: &Rig, id: SessionId) -> Phase {
    rig.lane(id).await.session().expect("there").phase
}

#[tokio::test(start_paused = true)]
async fn damage_found_by_a_reader_is_skipped_and_accepted_once() {
    // A flipped bit, and one that breaks the line in two as well.
    for change in [|byte| byte ^ 1, |_| b'\n'] {
        let (rig, id, mut lines) = session().await;
        let other = rig.session().await;
        rig.exchange(other, "fine").await;
        damage(&rig, id, &lines[4], change);
        let offset = {
            let log = fs::read(rig.dir(id).join("events.jsonl")).expect("a log");
            find(&log, &lines[3]) + lines[3].len() + 1
        };
        let lost = lines.remove(4);

        let follower = rig.follow(id).await;
        let events = follower.events();
        let numbers = events.iter().filter(|event| event["seq"].is_u64());
        assert_eq!(numbers.count(), lines.len(), "everything around it");
        let open = events.iter().find(|event| event["type"] == "in_flight");
        assert_eq!(open.expect("a reload")["inFlight"]["phase"], "failed");
        let read = rig.lane(id).await.events(None, None, 1000).await;
        let read = read.expect("readable").events;
        let texts = read.iter().map(scorel_proto::EncodedEvent::text);
        assert!(texts.eq(&lines));
        assert_eq!(phase(&rig, id).await, Phase::Failed);

        let place = (offset as u64, lost.len() as u64);
        assert_eq!(places(&rig, id).await, [place]);
        let loaded = rig.crashed();
        assert_eq!(places(&loaded, id).await, [place], "as loading says it");
        rig.exchange(other, "still fine").await;
        accept(&rig, id, place).await;
        rig.exchange(id, "four").await;
        let again = rig.restarted();
        again.exchange(id, "five").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_a_resync_reports_damage_as_a_subscription_does() {
    let (rig, id, lines) = session().await;
    damage(&rig, id, &lines[4], |byte| byte ^ 1);
    let page = crate::pages::resync(&rig, id, Anchors::default(), None).await;
    let page = page.expect("answered");
    assert_eq!(page.events.len(), lines.len() - 1);
    assert_eq!(page.in_flight.expect("all of it").phase, Phase::Failed);
    assert_eq!(places(&rig, id).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_running_turn_ends_before_damage_is_accepted() {
    let (rig, id, lines) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "four").await;
    let call = rig.model().await;
    rig.say(id, "five").await;
    damage(&rig, id, &lines[4], |byte| byte ^ 1);
    let read = rig.lane(id).await.events(None, None, 1000).await;
    read.expect("readable");
    assert_eq!(phase(&rig, id).await, Phase::Running);
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let place = places(&rig, id).await;
    assert_eq!(place.len(), 1, "the next message waits");
    assert_eq!(phase(&rig, id).await, Phase::Failed);
    accept(&rig, id, place[0]).await;
    rig.model().await.answer("done as well").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_needs_damaged_records_fails_and_says_so() {
    let (rig, id, lines) = session().await;
    let answer = lines.iter().find(|line| line.contains("to two"));
    damage(&rig, id, answer.expect("an answer"), |byte| byte ^ 1);
    let mut follower = follow_end(&rig, id).await;
    // While its window is held, a turn reads nothing.
    tokio::time::advance(Duration::from_secs(60)).await;
    rig.sessions.sweep().await;
    rig.begin(id, "four").await;
    assert_eq!(follower.outcome().await, "error");
    let place = places(&rig, id).await;
    accept(&rig, id, place[0]).await;
    rig.exchange(id, "five").await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_reads_nothing_of_the_conversation_within_a_minute_of_the_last_one() {
    let (rig, id, lines) = session().await;
    let answer = lines.iter().find(|line| line.contains("to two"));
    damage(&rig, id, answer.expect("an answer"), |byte| byte ^ 1);
    tokio::time::advance(Duration::from_secs(59)).await;
    rig.sessions.sweep().await;
    let mut follower = follow_end(&rig, id).await;
    rig.begin(id, "four").await;
    let call = rig.model().await;
    assert_eq!(call.request.messages.len(), 7);
    call.answer("to four").await;
    assert_eq!(follower.outcome().await, "completed");
}

/// Follows the session without reading its log.
async fn follow_end(rig: &Rig, id: SessionId) -> Follower {
    let session = rig.lane(id).await.session().expect("there");
    let anchors = Anchors {
        persistent_last_seq: session.last_persistent_seq,
        stream_last_seq: None,
        persistent_last_id: None,
    };
    let mut follower = rig.follow_from(id, Default::default(), anchors).await;
    follower.until("sync_end").await;
    follower
}
