//! Sessions that need more file descriptors than there are.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use scorel_proto::ErrorCode;
use scorel_session::SessionSettings;
use tokio_util::sync::CancellationToken;

use crate::disk::Disk;
use crate::rig::{Rig, message, settings};

/// What a turn opens beside its log: the spool, the derived files, and the look whether more could
/// be opened.
const TURN: usize = 12;

#[tokio::test(start_paused = true)]
async fn an_idle_session_holds_one_descriptor() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    for count in 1..=3 {
        let id = rig.session().await;
        rig.exchange(id, "one").await;
        rig.sessions.sweep().await;
        assert_eq!(disk.open_files(), count);
    }
}

#[tokio::test(start_paused = true)]
async fn above_the_limit_the_sessions_that_were_used_longest_ago_leave_memory() {
    let rig = Rig::with(SessionSettings {
        max_loaded: 8,
        ..settings()
    });
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(rig.session().await);
        // The first one is used again and again.
        tokio::time::advance(Duration::from_secs(1)).await;
        rig.exchange(ids[0], "one").await;
        rig.exchange(ids[ids.len() - 1], "two").await;
        assert!(rig.sessions.loaded_count() <= 8);
    }
    let unloaded = rig.script.ended.lock().expect("not poisoned").clone();
    assert!(unloaded.contains(&ids[1]) && !unloaded.contains(&ids[0]));
    for id in ids {
        rig.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_make_room_when_no_file_can_be_opened() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let stop = CancellationToken::new();
    let housekeeping = tokio::spawn(Arc::clone(&rig.sessions).housekeep(stop.clone()));
    disk.set_descriptors(24 + TURN);
    for _ in 0..100 {
        let id = rig.session().await;
        rig.exchange(id, "one").await;
    }
    stop.cancel();
    housekeeping.await.expect("it ends");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_opened_now_can_be_opened_later() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let id = rig.session().await;
    let again = rig.restarted_on(disk.storage());
    drop(rig);
    disk.set_descriptors(0);
    let refused = again.sessions.get(id).await.expect_err("no descriptor");
    assert_eq!(refused.code(), ErrorCode::Overloaded);
    assert!(refused.code().retryable());
    disk.set_descriptors(usize::MAX);
    again.lane(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_be_accepted_now_can_be_sent_again() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    rig.sessions.clone().recover().await;
    let id = rig.session().await;
    disk.set_descriptors(0);
    let refused = rig.send(id, message("one")).await.expect_err("no file");
    assert_eq!(refused.code(), ErrorCode::Overloaded);
    disk.set_descriptors(usize::MAX);
    rig.exchange(id, "one").await;
}

#[tokio::test(start_paused = true)]
async fn turns_wait_while_too_many_files_are_open() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let ids = join_all((0..4).map(|_| rig.session())).await;
    for id in &ids {
        rig.exchange(*id, "one").await;
    }
    let mut followers = join_all(ids.iter().map(|id| rig.follow(*id))).await;
    disk.set_descriptors(0);
    for id in &ids {
        rig.begin(*id, "two").await;
    }
    disk.refuses(2 * ids.len()).await;
    for id in &ids {
        let session = rig.lane(*id).await.session().expect("readable");
        let problem = session.problem.expect("it says why it waits");
        assert!(problem.contains("too many files open"), "{problem}");
    }
    disk.set_descriptors(usize::MAX);
    for _ in &ids {
        rig.model().await.answer("done").await;
    }
    for follower in &mut followers {
        assert_eq!(follower.outcome().await, "completed");
    }
    for id in ids {
        let session = rig.lane(id).await.session().expect("readable");
        assert_eq!(session.problem, None);
    }
}
