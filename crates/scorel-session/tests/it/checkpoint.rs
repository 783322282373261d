//! Loading with and without the derived file.

use std::fs;
use std::time::Duration;

use scorel_proto::SessionId;

use crate::found::{accept, places};
use crate::rig::Rig;

/// A session with a history and a checkpoint.
async fn session() -> (Rig, SessionId) {
    let rig = Rig::new();
    let id = rig.session().await;
    for question in ["one", "two", "three"] {
        rig.exchange(id, question).await;
    }
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    assert!(rig.dir(id).join("checkpoint").exists());
    (rig, id)
}

async fn assert_equal(one: &Rig, two: &Rig, id: SessionId) {
    let (a, b) = (one.lane(id).await, two.lane(id).await);
    assert_eq!(a.session().expect("there"), b.session().expect("there"));
    let (one, two) = (one.follow(id).await, two.follow(id).await);
    assert_eq!(one.view, two.view);
    assert_eq!(one.taken, two.taken);
}

#[tokio::test(start_paused = true)]
async fn a_session_is_the_same_with_and_without_a_checkpoint() {
    let (rig, id) = session().await;
    let (with, without) = (rig.crashed(), rig.crashed());
    fs::remove_file(without.dir(id).join("checkpoint")).expect("removed");
    assert_equal(&with, &without, id).await;
    with.exchange(id, "four").await;
    with.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_is_older_than_the_log_is_a_starting_point() {
    let (rig, id) = session().await;
    let stale = fs::read(rig.dir(id).join("checkpoint")).expect("readable");
    let later = rig.restarted();
    later.exchange(id, "four").await;
    later.exchange(id, "five").await;
    let (with, without) = (later.crashed(), later.crashed());
    fs::write(with.dir(id).join("checkpoint"), stale).expect("writable");
    fs::remove_file(without.dir(id).join("checkpoint")).expect("removed");
    assert_equal(&with, &without, id).await;
    with.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_does_not_fit_is_ignored() {
    let (rig, id) = session().await;
    let good = fs::read(rig.dir(id).join("checkpoint")).expect("readable");
    // Of a shorter log: one that reaches further shows that records are missing, and reserves numbers.
    let of_another = {
        let rig = Rig::new();
        let other = rig.session().await;
        rig.exchange(other, "one").await;
        assert!(rig.sessions.drain(Duration::from_secs(5)).await);
        fs::read(rig.dir(other).join("checkpoint")).expect("readable")
    };
    let mut flipped = good.clone();
    flipped[40] ^= 1;
    let cut = good[..good.len() / 2].to_vec();
    let without = rig.crashed();
    fs::remove_file(without.dir(id).join("checkpoint")).expect("removed");
    for wrong in [of_another, flipped, cut, Vec::new(), b"checkpoint".to_vec()] {
        let with = rig.crashed();
        fs::write(with.dir(id).join("checkpoint"), wrong).expect("writable");
        assert_equal(&with, &without, id).await;
        with.exchange(id, "four").await;
        with.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_older_than_its_checkpoint_gives_no_number_twice() {
    let (rig, id) = session().await;
    let log = rig.log(id);
    let cut = rig.crashed();
    let path = cut.dir(id).join("events.jsonl");
    let text = fs::read_to_string(&path).expect("a log");
    let last = log.lines[log.lines.len() - 1].len() + 1;
    fs::write(&path, &text[..text.len() - last]).expect("writable");
    let lost = log.records[log.records.len() - 1]["seq"]
        .as_u64()
        .expect("a number");
    for place in places(&cut, id).await {
        accept(&cut, id, place).await;
    }
    let after = cut.check(id).await;
    let new = after.records[log.records.len() - 1]["seq"]
        .as_u64()
        .expect("a number");
    assert!(new > lost, "{new} is used again");
    assert_eq!(after.reasons(), ["completed", "completed", "interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn opening_a_healthy_idle_session_changes_no_byte() {
    let (rig, id) = session().await;
    let files = || {
        let mut files: Vec<_> = fs::read_dir(rig.dir(id))
            .expect("readable")
            .map(|entry| {
                let path = entry.expect("readable").path();
                let content = if path.is_file() {
                    fs::read(&path).expect("readable")
                } else {
                    Vec::new()
                };
                let changed = fs::metadata(&path)
                    .and_then(|data| data.modified())
                    .expect("known");
                (path, content, changed)
            })
            .collect();
        files.sort();
        files
    };
    let before = files();
    let again = rig.restarted();
    let lane = again.lane(id).await;
    lane.events(None, None, 100).await.expect("readable");
    again.follow(id).await;
    drop(lane);
    assert_eq!(files(), before);
    again.sessions.drain(Duration::from_secs(5)).await;
    assert_eq!(
        files(),
        before,
        "a checkpoint that is up to date is not written again"
    );
}

/// The damaged places of the log whose acceptance the session waits for.
async fn problem(rig: &Rig, id: SessionId) -> Option<String> {
    let session = rig.lane(id).await.session();
    session.expect("there").problem
}

#[tokio::test(start_paused = true)]
async fn damage_behind_a_checkpoint_is_skipped_and_reported_when_it_is_read() {
    let (rig, id) = session().await;
    let rig = rig.crashed();
    let mut lines = rig.log(id).lines;
    let path = rig.dir(id).join("events.jsonl");
    let text = fs::read_to_string(&path).expect("a log");
    let place = text.find(&lines[4]).expect("the line") + 20;
    let mut bytes = text.into_bytes();
    bytes[place] ^= 1;
    fs::write(&path, bytes).expect("writable");

    assert_eq!(problem(&rig, id).await, None, "it was not read yet");
    let client = rig.follow(id).await;
    lines.remove(4);
    let taken = client.events();
    let numbers = taken.iter().filter_map(|event| event["seq"].as_u64());
    assert_eq!(numbers.count(), lines.len(), "what stands around it");
    let lane = rig.lane(id).await;
    let read = lane.events(None, None, 1000).await.expect("readable");
    assert_eq!(read.events.len(), lines.len());
    let page = crate::pages::resync(&rig, id, Default::default(), None).await;
    assert_eq!(page.expect("answered").events.len(), lines.len());
    let reported = problem(&rig, id).await.expect("a problem");
    drop((client, lane));
    rig.sessions.drain(Duration::from_secs(5)).await;

    let again = rig.restarted();
    let problem = problem(&again, id).await.expect("a problem");
    assert!(problem.contains("damaged at offset"), "{problem}");
    assert_eq!(problem, reported, "loading says the same");
}
