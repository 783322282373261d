//! Sessions that need the daemon although nobody opens them.

use std::fs;
use std::sync::Arc;

use scorel_proto::SessionId;

use crate::disk::Disk;
use crate::rig::{Rig, message};

/// Two sessions: one in the middle of a turn, one at rest; and what a crash leaves of them.
async fn crashed() -> (Rig, SessionId, SessionId) {
    let rig = Rig::new();
    let (busy, idle) = (rig.session().await, rig.session().await);
    rig.exchange(idle, "one").await;
    rig.begin(busy, "one").await;
    let _call = rig.model().await;
    (rig.crashed(), busy, idle)
}

fn active(rig: &Rig) -> String {
    fs::read_to_string(rig.home().join("active")).expect("readable")
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_was_open_is_closed_though_nobody_opens_its_session() {
    let (rig, busy, _) = crashed().await;
    Arc::clone(&rig.sessions).recover().await;
    let log = rig.log(busy);
    log.check();
    assert_eq!(log.reasons(), ["interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_list_all_sessions_are_looked_at() {
    for content in [
        None,
        Some("{\"version\":1"),
        Some("{\"version\":9,\"sessions\":[]}"),
    ] {
        let (rig, busy, _) = crashed().await;
        let path = rig.home().join("active");
        match content {
            None => fs::remove_file(path).expect("removed"),
            Some(content) => fs::write(path, content).expect("writable"),
        }
        Arc::clone(&rig.sessions).recover().await;
        assert_eq!(rig.log(busy).reasons(), ["interrupted"]);
        assert_eq!(
            rig.sessions.loaded_count(),
            1,
            "only what needs it is loaded"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_leaves_the_list_when_it_needs_nothing_any_more() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.sessions.sweep().await;
    assert!(active(&rig).contains(&id.to_string()));
    call.answer("1").await;
    follower.outcome().await;
    rig.sessions.sweep().await;
    assert!(!active(&rig).contains(&id.to_string()));
    rig.exchange(id, "two").await;
    assert!(active(&rig).contains(&id.to_string()));
    rig.sessions.delete(id).await.expect("deleted");
    rig.sessions.sweep().await;
    assert!(!active(&rig).contains(&id.to_string()));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_begins_something_while_others_are_looked_at_is_on_the_list() {
    // Which session is looked at first is open.
    for _ in 0..16 {
        let disk = Disk::new();
        let rig = Rig::on_disk(disk.storage());
        let (id, other) = (rig.session().await, rig.session().await);
        rig.exchange(id, "one").await;
        let mut hold = disk.hold_next_record();
        let lane = rig.lane(other).await;
        let slow = tokio::spawn(async move { lane.send(message("slow")).await });
        hold.entered().await;
        let send = async {
            rig.begin(id, "two").await;
            drop(hold);
        };
        tokio::join!(rig.sessions.sweep(), send);
        slow.await.expect("no panic").expect("accepted");
        let calls = [rig.model().await, rig.model().await];
        assert!(active(&rig).contains(&id.to_string()));
        for call in calls {
            call.answer("done").await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_on_the_list_that_is_gone_is_forgotten() {
    let (rig, busy, idle) = crashed().await;
    fs::remove_dir_all(rig.dir(busy)).expect("removed");
    Arc::clone(&rig.sessions).recover().await;
    rig.sessions.sweep().await;
    assert!(!active(&rig).contains(&busy.to_string()));
    rig.exchange(idle, "two").await;
}
