//! Sessions in memory and out of it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use scorel_proto::{ErrorCode, ProjectId, SessionId};
use scorel_session::SessionSettings;

use crate::disk::Disk;
use crate::rig::{Rig, new_session, settings};

/// Sessions that leave memory as soon as they are unused.
fn impatient() -> Rig {
    Rig::with(SessionSettings {
        idle_unload: Duration::ZERO,
        ..settings()
    })
}

/// Sweeps until nothing is in memory: the task of a turn lives a little longer than the turn.
async fn unload_all(rig: &Rig) {
    for _ in 0..1000 {
        rig.sessions.sweep().await;
        if rig.sessions.loaded_count() == 0 {
            return;
        }
    }
    panic!("{} sessions stay in memory", rig.sessions.loaded_count());
}

#[tokio::test(start_paused = true)]
async fn an_idle_session_leaves_memory_and_comes_back_as_it_was() {
    let rig = impatient();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let before = rig.lane(id).await.session().expect("there");
    unload_all(&rig).await;
    assert_eq!(*rig.script.ended.lock().expect("not poisoned"), [id]);
    assert!(rig.dir(id).join("checkpoint").exists());
    let after = rig.lane(id).await.session().expect("there");
    assert_eq!(after, before);
    rig.exchange(id, "two").await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_command_runs_in_the_background_stays_in_memory() {
    let rig = impatient();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    rig.script.running.lock().expect("not poisoned").push(id);
    for _ in 0..100 {
        tokio::time::advance(Duration::from_secs(10)).await;
        rig.sessions.sweep().await;
    }
    assert_eq!(rig.sessions.loaded_count(), 1);
    assert!(rig.script.ended.lock().expect("not poisoned").is_empty());
    rig.script.running.lock().expect("not poisoned").clear();
    unload_all(&rig).await;
    assert_eq!(*rig.script.ended.lock().expect("not poisoned"), [id]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_used_stays_in_memory() {
    let rig = impatient();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.sessions.sweep().await;
    assert_eq!(rig.sessions.loaded_count(), 1, "it has a subscriber");
    rig.begin(id, "one").await;
    let call = rig.model().await;
    drop(follower);
    rig.sessions.sweep().await;
    assert_eq!(rig.sessions.loaded_count(), 1, "a turn is running");
    follower = rig.follow(id).await;
    call.answer("1").await;
    follower.outcome().await;
    drop(follower);
    let lane = rig.lane(id).await;
    rig.sessions.sweep().await;
    assert_eq!(rig.sessions.loaded_count(), 1, "it is in use");
    drop(lane);
    rig.sessions.drain(Duration::from_secs(5)).await;
    rig.sessions.sweep().await;
    assert_eq!(rig.sessions.loaded_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_stays_in_memory_for_a_while() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    rig.sessions.sweep().await;
    assert_eq!(rig.sessions.loaded_count(), 1);
    tokio::time::advance(settings().idle_unload).await;
    unload_all(&rig).await;
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_load_a_session_once() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let disk = Disk::new();
    let again = rig.crashed().restarted_on(disk.storage());
    let lanes = join_all((0..32).map(|_| again.sessions.get(id))).await;
    let lanes: Vec<_> = lanes
        .into_iter()
        .map(|lane| lane.expect("loaded"))
        .collect();
    assert!(
        lanes
            .iter()
            .all(|lane| std::sync::Arc::ptr_eq(lane, &lanes[0]))
    );
    assert_eq!(disk.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_load_does_not_prevent_a_later_one() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let disk = Disk::new();
    let again = rig.crashed().restarted_on(disk.storage());
    disk.fail_next_open();
    let lanes = join_all((0..4).map(|_| again.sessions.get(id))).await;
    let lanes: Vec<_> = lanes.into_iter().filter_map(Result::ok).collect();
    assert_eq!(lanes.len(), 3);
    assert_eq!(disk.opened(), 2, "there are never two writers");
    let later = again.lane(id).await;
    assert!(std::sync::Arc::ptr_eq(&later, &lanes[0]));
}

#[tokio::test(start_paused = true)]
async fn sessions_that_do_not_exist_use_no_memory() {
    let rig = Rig::new();
    let id = SessionId::generate();
    let asked = join_all((0..8).map(|_| rig.sessions.get(id))).await;
    for answer in asked {
        assert_eq!(
            answer.expect_err("unknown").code(),
            ErrorCode::SessionNotFound
        );
    }
    assert_eq!(rig.sessions.loaded_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn housekeeping_runs_until_it_is_stopped() {
    let rig = impatient();
    rig.session().await;
    let stop = tokio_util::sync::CancellationToken::new();
    let keeper = tokio::spawn(std::sync::Arc::clone(&rig.sessions).housekeep(stop.clone()));
    while rig.sessions.loaded_count() > 0 {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    stop.cancel();
    keeper.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_found_while_it_is_created_has_one_lane() {
    let rig = Rig::new();
    for _ in 0..200 {
        let id = SessionId::generate();
        let new = new_session(ProjectId::generate(), Some("found"));
        let sessions = Arc::clone(&rig.sessions);
        let creating = tokio::spawn(async move { sessions.create_as(id, new).await });
        let found = loop {
            match rig.sessions.get(id).await {
                Ok(lane) => break lane,
                Err(error) => assert_eq!(error.code(), ErrorCode::SessionNotFound),
            }
        };
        creating.await.expect("no panic").expect("created");
        let lane = rig.sessions.get(id).await.expect("there");
        assert!(Arc::ptr_eq(&found, &lane));
    }
}
