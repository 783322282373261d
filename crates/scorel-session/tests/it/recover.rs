//! Recovery of sessions that no client opens.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use scorel_proto::SessionId;
use scorel_session::SessionSettings;

use crate::disk::Disk;
use crate::permission::{asking, next, question};
use crate::rig::{Rig, message, settings};

/// A daemon that has looked at what the one before left.
async fn begun() -> Rig {
    let rig = Rig::new();
    Arc::clone(&rig.sessions).recover().await;
    rig
}

/// Two sessions: one in the middle of a turn, one at rest; and what a crash leaves of them.
async fn crashed() -> (Rig, SessionId, SessionId) {
    let rig = begun().await;
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
async fn an_open_turn_is_closed_before_any_client_opens_its_session() {
    let (rig, busy, _) = crashed().await;
    Arc::clone(&rig.sessions).recover().await;
    let log = rig.log(busy);
    log.check();
    assert_eq!(log.reasons(), ["interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_list_all_sessions_are_checked() {
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
async fn a_session_leaves_the_list_when_it_has_been_idle_for_a_while() {
    let rig = begun().await;
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    tokio::time::advance(settings().idle_unload).await;
    rig.sessions.sweep().await;
    assert!(active(&rig).contains(&id.to_string()), "a turn is open");
    call.answer("1").await;
    follower.outcome().await;
    rig.lane(id).await;
    rig.sessions.sweep().await;
    assert!(active(&rig).contains(&id.to_string()), "it was just used");
    tokio::time::advance(settings().idle_unload).await;
    rig.sessions.sweep().await;
    assert!(!active(&rig).contains(&id.to_string()));
    drop(follower);
    rig.exchange(id, "two").await;
    assert!(active(&rig).contains(&id.to_string()));
    rig.sessions.delete(id).await.expect("deleted");
    rig.sessions.sweep().await;
    assert!(!active(&rig).contains(&id.to_string()));
}

#[tokio::test(start_paused = true)]
async fn the_messages_of_a_conversation_write_the_list_once() {
    let rig = begun().await;
    let id = rig.session().await;
    let inode = || {
        fs::metadata(rig.home().join("active"))
            .expect("a file")
            .ino()
    };
    rig.exchange(id, "one").await;
    let first = inode();
    for text in ["two", "three"] {
        rig.sessions.sweep().await;
        rig.exchange(id, text).await;
        assert_eq!(inode(), first, "the file was replaced for {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_orderly_stop_leaves_the_next_start_nothing_to_do() {
    let rig = begun().await;
    let (one, two) = (rig.session().await, rig.session().await);
    rig.exchange(one, "one").await;
    rig.exchange(two, "one").await;
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    let again = rig.restarted();
    Arc::clone(&again.sessions).recover().await;
    assert_eq!(again.sessions.loaded_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_message_during_recovery_hides_no_session_from_the_next_start() {
    for listed in [true, false] {
        let (rig, busy, idle) = crashed().await;
        if !listed {
            fs::remove_file(rig.home().join("active")).expect("removed");
        }
        rig.begin(idle, "two").await;
        let _call = rig.model().await;
        // It crashes before it came to the other session.
        let again = rig.crashed();
        Arc::clone(&again.sessions).recover().await;
        for id in [busy, idle] {
            let log = again.log(id);
            assert_eq!(log.reasons().last(), Some(&"interrupted"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_becomes_active_during_a_sweep_is_on_the_list() {
    // Which session is looked at first is open.
    for _ in 0..16 {
        let disk = Disk::new();
        let eager = SessionSettings {
            idle_unload: Duration::ZERO,
            ..settings()
        };
        let rig = Rig::on_disk_with(disk.storage(), eager);
        Arc::clone(&rig.sessions).recover().await;
        let (id, other) = (rig.session().await, rig.session().await);
        rig.exchange(id, "one").await;
        let mut hold = disk.hold_next_record();
        let lane = rig.lane(other).await;
        let slow = tokio::spawn(async move { lane.mutate(message("slow")).await });
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
async fn a_missing_session_leaves_the_list() {
    let (rig, busy, idle) = crashed().await;
    fs::remove_dir_all(rig.dir(busy)).expect("removed");
    Arc::clone(&rig.sessions).recover().await;
    rig.sessions.sweep().await;
    assert!(!active(&rig).contains(&busy.to_string()));
    rig.exchange(idle, "two").await;
}

#[tokio::test(start_paused = true)]
async fn a_session_is_on_the_list_before_its_first_record_is_written() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    Arc::clone(&rig.sessions).recover().await;
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    let mut hold = disk.hold_next_record();
    let sending = tokio::spawn(async move { lane.mutate(message("one")).await });
    hold.entered().await;
    assert!(active(&rig).contains(&id.to_string()));
    drop(hold);
    sending.await.expect("no panic").expect("accepted");
    rig.model().await.answer("1").await;
}

#[tokio::test(start_paused = true)]
async fn a_session_with_waiting_messages_stays_on_the_list() {
    let rig = begun().await;
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let _call = rig.model().await;
    rig.say(id, "two").await;
    let lane = rig.lane(id).await;
    assert!(lane.cancel(None));
    assert_eq!(follower.outcome().await, "cancelled");
    let session = lane.session().expect("there");
    assert!(session.queue_paused && session.queue.len() == 1);
    tokio::time::advance(settings().idle_unload).await;
    rig.sessions.sweep().await;
    assert!(active(&rig).contains(&id.to_string()));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_waits_on_is_on_the_list_whoever_loads_it() {
    let nothing = r#"{"version":1,"sessions":[]}"#;
    for content in [None, Some(nothing)] {
        let (rig, id, _) = asking(question()).await;
        let again = next(&rig);
        let path = again.home().join("active");
        match content {
            // All sessions are checked.
            None => {
                let _absent = fs::remove_file(path);
            }
            // As after a backup was restored: a client loads it.
            Some(content) => fs::write(path, content).expect("writable"),
        }
        Arc::clone(&again.sessions).recover().await;
        again.lane(id).await;
        assert!(active(&again).contains(&id.to_string()), "{content:?}");
    }
}
