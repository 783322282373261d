//! The index after a daemon that ended cleanly: it answers at once, and the logs are looked at later.

use std::fs;
use std::path::Path;
use std::time::Duration;

use scorel_proto::{ErrorCode, Phase, ProjectId, Session, SessionChanges, SessionId};
use scorel_session::{CloneRequest, ListFilter, UpdateRequest};

use crate::disk::Disk;
use crate::found::{accept, damage, places};
use crate::rig::{Rig, client, copy, message};

async fn listed(rig: &Rig) -> Vec<Session> {
    let page = rig.sessions.list(ListFilter::default()).await;
    let page = page.expect("listed");
    assert_eq!(page.unreadable, []);
    page.sessions
}

async fn titles(rig: &Rig) -> Vec<Option<String>> {
    let mut titles: Vec<_> = listed(rig).await.into_iter().map(|it| it.title).collect();
    titles.sort_unstable();
    titles
}

async fn titled(rig: &Rig, title: &str) -> SessionId {
    rig.session_of(ProjectId::generate(), Some(title)).await
}

async fn try_rename(rig: &Rig, id: SessionId, title: &str) -> Result<(), ErrorCode> {
    let changes = SessionChanges {
        title: Some(title.to_owned()),
        ..SessionChanges::default()
    };
    let renamed = rig
        .lane(id)
        .await
        .mutate(UpdateRequest {
            command: message("x").command,
            changes,
        })
        .await;
    renamed.map(drop).map_err(|error| error.code())
}

async fn rename(rig: &Rig, id: SessionId, title: &str) {
    try_rename(rig, id, title).await.expect("renamed");
}

/// The next daemon, after this one has ended cleanly.
async fn ended(rig: &Rig) -> Rig {
    listed(rig).await;
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    assert!(rig.home().join("index.clean").exists());
    rig.restarted()
}

fn replace(dir: &Path, by: &Path) {
    fs::remove_dir_all(dir).expect("removed");
    fs::create_dir(dir).expect("created");
    copy(by, dir);
}

/// A daemon that has ended cleanly, with the session `a`, and the next one. While none ran, another log took the
/// place of that of `a`, whose title is `b`.
async fn changed_meanwhile() -> (Rig, SessionId) {
    let rig = Rig::new();
    let id = titled(&rig, "a").await;
    let elsewhere = rig.crashed();
    rename(&elsewhere, id, "b").await;
    let next = ended(&rig).await;
    replace(&next.dir(id), &elsewhere.dir(id));
    (next, id)
}

fn told(rig: &Rig, after: u64) -> Vec<serde_json::Value> {
    let changes = rig.sessions.host().after(after).expect("kept");
    let parse = |(_, json): &(u64, bytes::Bytes)| serde_json::from_slice(json).expect("JSON");
    changes.iter().map(parse).collect()
}

#[tokio::test(start_paused = true)]
async fn the_index_answers_and_what_it_did_not_know_is_told_later() {
    let (rig, id) = changed_meanwhile().await;
    assert_eq!(titles(&rig).await, [Some("a".to_owned())], "from the index");
    let before = rig.sessions.host().version();
    rig.sessions.check_index().await;
    assert_eq!(titles(&rig).await, [Some("b".to_owned())], "from the log");
    let told = told(&rig, before);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["session"]["sessionId"], id.to_string());
    assert_eq!(told[0]["session"]["title"], "b");
    assert_eq!(rig.sessions.loaded_count(), 0);
    rig.sessions.check_index().await;
    assert_eq!(rig.sessions.host().version(), before + 1, "once");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_opened_is_listed_as_its_log_says() {
    let (rig, id) = changed_meanwhile().await;
    listed(&rig).await;
    let before = rig.sessions.host().version();
    rig.lane(id).await;
    assert_eq!(titles(&rig).await, [Some("b".to_owned())]);
    assert_eq!(told(&rig, before).len(), 1);
    rig.sessions.check_index().await;
    assert_eq!(told(&rig, before).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn sessions_that_came_and_went_are_known_at_once() {
    let rig = Rig::new();
    let (stays, goes) = (titled(&rig, "stays").await, titled(&rig, "goes").await);
    let emptied = titled(&rig, "emptied").await;
    let elsewhere = rig.crashed();
    let comes = titled(&elsewhere, "comes").await;
    let next = ended(&rig).await;
    fs::remove_dir_all(next.dir(goes)).expect("removed");
    fs::remove_file(next.dir(emptied).join("events.jsonl")).expect("removed");
    fs::create_dir(next.dir(comes)).expect("created");
    copy(&elsewhere.dir(comes), &next.dir(comes));
    let names = |names: &[&str]| -> Vec<_> {
        let titles = names.iter().map(|&name| Some(name.to_owned()));
        titles.collect()
    };
    assert_eq!(titles(&next).await, names(&["comes", "emptied", "stays"]));
    let before = next.sessions.host().version();
    next.sessions.check_index().await;
    assert_eq!(titles(&next).await, names(&["comes", "stays"]));
    let told = told(&next, before);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["type"], "session_removed");
    assert_eq!(told[0]["sessionId"], emptied.to_string());
    next.lane(stays).await;
}

/// Everything that changes what is listed.
const STEPS: usize = 9;

/// A change that is acknowledged right before the daemon is killed.
async fn step(rig: &Rig, number: usize, id: SessionId) {
    let lane = rig.lane(id).await;
    match number {
        0 => {}
        1 => drop(titled(rig, "new").await),
        2 => rename(rig, id, "other").await,
        3 => drop(rig.exchange(id, "a question").await),
        4 => {
            let changes = SessionChanges {
                archived: Some(true),
                ..SessionChanges::default()
            };
            let archived = lane
                .mutate(UpdateRequest {
                    command: message("x").command,
                    changes,
                })
                .await;
            archived.expect("archived");
        }
        5 => {
            let request = CloneRequest {
                source: id,
                event_id: None,
                client_id: client(),
            };
            let cloned = rig.sessions.clone_as(SessionId::generate(), request).await;
            cloned.expect("cloned");
        }
        6 => {
            drop(lane);
            rename(rig, id, "in the trash").await;
            rig.sessions.put_in_trash(id).await.expect("deleted");
        }
        7 => {
            drop(lane);
            rename(rig, id, "back again").await;
            rig.sessions.put_in_trash(id).await.expect("deleted");
            rig.sessions.undelete(id).await.expect("back");
        }
        _ => {
            drop(lane);
            rig.sessions.delete(id).await.expect("deleted");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_was_acknowledged_before_a_kill_is_in_the_first_listing() {
    for number in 0..STEPS {
        for is_saved in [false, true] {
            let rig = Rig::new();
            let (id, other) = (titled(&rig, "one").await, titled(&rig, "two").await);
            let rig = ended(&rig).await;
            let before = listed(&rig).await;
            step(&rig, number, id).await;
            if is_saved {
                rig.sessions.sweep().await;
                // Once the index is written, too.
                rename(&rig, other, "after the index").await;
            }
            let now = listed(&rig).await;
            assert_eq!(now == before, number == 0 && !is_saved, "step {number}");
            let killed = rig.restarted();
            assert_eq!(listed(&killed).await, now, "step {number}");
            // And so it is after the next clean end.
            assert_eq!(listed(&ended(&killed).await).await, now, "step {number}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_comes_while_the_daemon_ends_is_in_the_first_listing() {
    let rig = Rig::new();
    let id = titled(&rig, "one").await;
    rig.exchange(id, "a question").await;
    let line = rig.log(id).lines[2].clone();
    let rig = ended(&rig).await;
    // Without a checkpoint the whole log is read.
    fs::remove_file(rig.dir(id).join("checkpoint")).expect("removed");
    damage(&rig, id, &line, |byte| byte ^ 1);
    let damaged = places(&rig, id).await;
    let problem = listed(&rig).await[0].problem.clone();
    assert!(problem.is_some());
    let rig = ended(&rig).await;
    assert_eq!(listed(&rig).await[0].problem, problem);
    titled(&rig, "two").await;
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    // Damage can be accepted until the daemon is gone.
    accept(&rig, id, damaged[0]).await;
    let now = listed(&rig).await;
    assert!(now.iter().all(|session| session.problem.is_none()));
    assert_eq!(listed(&rig.restarted()).await, now);
}

#[tokio::test(start_paused = true)]
async fn an_index_that_the_mark_is_not_about_is_not_trusted() {
    let rig = Rig::new();
    let id = titled(&rig, "a").await;
    let rig = ended(&rig).await;
    let older = fs::read(rig.home().join("index")).expect("written");
    rename(&rig, id, "b").await;
    for index in [older, b"[]".to_vec(), b"[{".to_vec()] {
        let rig = ended(&rig.restarted()).await;
        fs::write(rig.home().join("index"), index).expect("writable");
        assert_eq!(titles(&rig).await, [Some("b".to_owned())]);
    }
    let rig = ended(&rig.restarted()).await;
    fs::remove_file(rig.home().join("index")).expect("removed");
    assert_eq!(titles(&rig).await, [Some("b".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn no_record_is_written_while_the_mark_stays() {
    let disk = Disk::new();
    let rig = Rig::new();
    let id = titled(&rig, "a").await;
    let rig = ended(&rig).await.restarted_on(disk.storage());
    disk.fail_removals(true);
    let refused = try_rename(&rig, id, "b").await;
    assert_eq!(refused, Err(ErrorCode::StorageStalled));
    assert_eq!(titles(&rig.restarted()).await, [Some("a".to_owned())]);
    disk.fail_removals(false);
    rename(&rig, id, "b").await;
    assert_eq!(titles(&rig.restarted()).await, [Some("b".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_log_that_lost_its_end_is_found_when_it_is_opened_although_it_was_looked_at() {
    let rig = Rig::new();
    let id = titled(&rig, "a").await;
    rig.exchange(id, "one").await;
    let kept = fs::read(rig.dir(id).join("events.jsonl")).expect("readable");
    rig.exchange(id, "two").await;
    let mut rig = ended(&rig).await;
    fs::write(rig.dir(id).join("events.jsonl"), kept).expect("writable");
    for _ in 0..2 {
        listed(&rig).await;
        rig.sessions.check_index().await;
        assert_eq!(places(&rig, id).await.len(), 1);
        let session = &listed(&rig).await[0];
        assert_eq!(session.phase, Phase::Failed);
        let problem = session.problem.as_deref().unwrap_or_default();
        assert!(
            problem.contains("records at the end are missing"),
            "{problem}"
        );
        rig = ended(&rig).await;
    }
    // The index says so from then on.
    assert_eq!(listed(&rig).await[0].phase, Phase::Failed);
    rig.sessions.check_index().await;
    assert_eq!(listed(&rig).await[0].phase, Phase::Failed);
}
