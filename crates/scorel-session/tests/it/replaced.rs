//! Logs that were replaced by an earlier copy of themselves: a restored backup.

use std::fs;
use std::time::Duration;

use scorel_proto::{Phase, SessionId, SyncMode};

use crate::follower::Follower;
use crate::found::{accept, places};
use crate::pages::resync;
use crate::rig::{Rig, copy};

/// How many numbers a record reserves.
const RESERVE: u64 = 65_536;

/// A session whose second exchange is gone again, in the next daemon, and a client that has seen it.
async fn restored(with_index: bool) -> (Rig, SessionId, Follower) {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let backup = tempfile::tempdir().expect("a directory");
    copy(&rig.dir(id), backup.path());
    let mut follower = rig.follow(id).await;
    rig.exchange(id, "two").await;
    follower.until("turn_outcome").await;
    if with_index {
        // The index is read and written from the first listing on.
        let listed = rig.sessions.list(Default::default()).await;
        listed.expect("listed");
    }
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    fs::remove_dir_all(rig.dir(id)).expect("removed");
    fs::create_dir(rig.dir(id)).expect("created");
    copy(backup.path(), &rig.dir(id));
    (rig.restarted(), id, follower)
}

#[tokio::test(start_paused = true)]
async fn a_client_of_the_replaced_log_is_told_that_it_diverged() {
    // Without the index nothing else tells: the numbers go on as they did before.
    let (rig, id, seen) = restored(false).await;
    rig.exchange(id, "three").await;
    let lane = rig.lane(id).await;
    let same_seq = seen.anchors.persistent_last_seq;
    assert_eq!(lane.session().expect("there").last_persistent_seq, same_seq);
    let page = resync(&rig, id, seen.anchors, None).await.expect("a page");
    assert_eq!(page.mode, SyncMode::FullReload);
    assert_eq!(page.reason.as_deref(), Some("diverged"));
    let mut follower = rig.follow_from(id, seen.view, seen.anchors).await;
    let start = follower.next().await;
    assert_eq!(
        (&start["mode"], &start["reason"]),
        (&"full_reload".into(), &"diverged".into())
    );
    follower.until("sync_end").await;
    assert_eq!(
        follower.view.leaf(),
        lane.session().expect("there").active_leaf_id
    );
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_not_there_any_more_is_a_divergence() {
    let (rig, id, seen) = restored(true).await;
    let page = resync(&rig, id, seen.anchors, None).await.expect("a page");
    assert_eq!(page.reason.as_deref(), Some("diverged"));
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_shorter_than_the_index_knows_does_not_use_its_numbers_again() {
    let (rig, id, seen) = restored(true).await;
    rig.exchange(id, "three").await;
    let log = rig.log(id);
    let last = log.all("user").last().expect("a message")["seq"].as_u64();
    assert!(last.expect("a number") > RESERVE, "{last:?}");
    assert!(last > Some(seen.anchors.persistent_last_seq.get()));
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_shorter_than_its_checkpoint_does_not_use_its_numbers_again() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let log = rig.dir(id).join("events.jsonl");
    let before = fs::read(&log).expect("readable");
    rig.exchange(id, "two").await;
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    fs::write(&log, before).expect("writable");
    let rig = rig.restarted();
    for place in places(&rig, id).await {
        accept(&rig, id, place).await;
    }
    rig.exchange(id, "three").await;
    let last = rig.log(id).all("user").last().expect("a message")["seq"].as_u64();
    assert!(last > Some(RESERVE), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_lost_its_end_is_damaged_until_a_client_accepts_that() {
    // Between two records, and within one.
    for cut in [0, 40] {
        let rig = Rig::new();
        let id = rig.session().await;
        rig.exchange(id, "one").await;
        let log = rig.dir(id).join("events.jsonl");
        let kept = fs::read(&log).expect("readable");
        rig.exchange(id, "two").await;
        assert!(rig.sessions.drain(Duration::from_secs(5)).await);
        let whole = fs::read(&log).expect("readable");
        fs::write(&log, &whole[..kept.len() + cut]).expect("writable");
        // Opening changes nothing, so each daemon finds it.
        for rig in [&rig.restarted(), &rig.restarted()] {
            let (offset, length) = places(rig, id).await[0];
            assert_eq!(
                (offset, offset + length),
                (kept.len() as u64, whole.len() as u64)
            );
            let session = rig.lane(id).await.session().expect("there");
            assert_eq!(session.phase, Phase::Failed);
            let problem = session.problem.expect("a problem");
            assert!(
                problem.contains("records at the end are missing"),
                "{problem}"
            );
            assert!(rig.sessions.drain(Duration::from_secs(5)).await);
        }
        let rig = rig.restarted();
        for place in places(&rig, id).await {
            accept(&rig, id, place).await;
        }
        // Accepted for good: also without a checkpoint of what followed.
        let rig = rig.crashed();
        rig.exchange(id, "three").await;
        assert_eq!(rig.lane(id).await.session().expect("there").problem, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_restored_backup_says_that_it_is_older_until_a_turn_records_it() {
    let (rig, id, _) = restored(true).await;
    let session = rig.lane(id).await.session().expect("there");
    assert_ne!(session.phase, Phase::Failed);
    let problem = session.problem.expect("a problem");
    assert!(problem.contains("an older copy"), "{problem}");
    rig.exchange(id, "three").await;
    assert_eq!(rig.lane(id).await.session().expect("there").problem, None);
    let log = rig.log(id);
    let said = log.all("notice");
    assert_eq!(said.len(), 1);
    assert_eq!(
        (&said[0]["code"], &said[0]["text"]),
        (&"older_log".into(), &problem.into())
    );
}

#[tokio::test(start_paused = true)]
async fn the_lost_numbers_stay_reserved_however_the_session_is_loaded() {
    let (rig, id, _) = restored(true).await;
    // The listing reads the index, and the daemon writes it anew, before anything is loaded.
    let listed = rig.sessions.list(Default::default()).await;
    listed.expect("listed");
    rig.sessions.sweep().await;
    rig.lane(id).await;
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    let again = rig.restarted();
    again.exchange(id, "three").await;
    let last = again.log(id).all("user").last().expect("a message")["seq"].as_u64();
    assert!(last > Some(RESERVE), "{last:?}");
    let last = again.log(id).all("turn_outcome").len();
    assert_eq!(last, 2, "one from the backup, one new");
    // From here on the log is what it is: the next load skips nothing more.
    assert!(again.sessions.drain(Duration::from_secs(5)).await);
    let third = again.restarted();
    let before = third.lane(id).await.session().expect("there").current_seq;
    third.exchange(id, "four").await;
    let next = third.log(id).all("user").last().expect("a message")["seq"].as_u64();
    assert_eq!(next, Some(before.next().get()));
}
