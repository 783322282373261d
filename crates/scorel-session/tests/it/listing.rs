//! Listing sessions without reading their logs.

use std::fs;
use std::path::Path;
use std::process::Command;

use scorel_proto::{ErrorCode, Phase, ProjectId, SessionChanges, SessionId, SessionKind};
use scorel_session::{ListFilter, UpdateRequest};

use crate::disk::Disk;
use crate::follower::within;
use crate::rig::{Rig, message};

async fn sessions<const N: usize>(rig: &Rig) -> [SessionId; N] {
    let mut ids = [SessionId::generate(); N];
    for id in &mut ids {
        *id = rig.session().await;
    }
    ids
}

/// In the place of a file, which may be there.
fn make_fifo(path: &Path) {
    let _ = fs::remove_file(path);
    let made = Command::new("mkfifo").arg(path).status().expect("it runs");
    assert!(made.success());
}

async fn ids(rig: &Rig, filter: ListFilter) -> Vec<SessionId> {
    let page = rig.sessions.list(filter).await.expect("listed");
    page.sessions
        .iter()
        .map(|session| session.session_id)
        .collect()
}

async fn archive(rig: &Rig, id: SessionId) {
    let changes = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    rig.lane(id)
        .await
        .mutate(UpdateRequest {
            command: message("x").command,
            changes,
        })
        .await
        .expect("changed");
}

/// Waits until the time of day has moved on, so that a later change has a later time.
fn next_millisecond() {
    let start = std::time::SystemTime::now();
    while start.elapsed().is_ok_and(|passed| passed.as_millis() < 2) {
        std::hint::spin_loop();
    }
}

#[tokio::test(start_paused = true)]
async fn the_session_that_changed_last_comes_first() {
    let rig = Rig::new();
    let mut expected = Vec::new();
    for _ in 0..3 {
        expected.insert(0, rig.session().await);
        next_millisecond();
    }
    assert_eq!(ids(&rig, ListFilter::default()).await, expected);
    rig.exchange(expected[2], "news").await;
    expected.rotate_right(1);
    assert_eq!(ids(&rig, ListFilter::default()).await, expected);
    assert_eq!(
        ids(&rig.crashed(), ListFilter::default()).await,
        expected,
        "from the logs"
    );
}

#[tokio::test(start_paused = true)]
async fn a_listing_is_filtered_and_paged() {
    let rig = Rig::new();
    let (mine, other) = (ProjectId::generate(), ProjectId::generate());
    let mut expected = Vec::new();
    for _ in 0..5 {
        expected.insert(0, rig.session_of(mine, None).await);
        next_millisecond();
    }
    let elsewhere = rig.session_of(other, None).await;
    archive(&rig, expected[4]).await;
    let archived = expected.pop().expect("five");

    let of = |project_id, archived| ListFilter {
        project_id,
        archived,
        ..ListFilter::default()
    };
    assert_eq!(ids(&rig, of(Some(mine), false)).await, expected);
    assert_eq!(ids(&rig, of(Some(other), false)).await, [elsewhere]);
    assert_eq!(ids(&rig, of(None, true)).await, [archived]);
    let runners = ListFilter {
        kind: Some(SessionKind::Runner),
        ..ListFilter::default()
    };
    assert_eq!(ids(&rig, runners).await, []);

    let mut filter = ListFilter {
        limit: 3,
        ..of(Some(mine), false)
    };
    let first = rig.sessions.list(filter.clone()).await.expect("listed");
    filter.cursor = first.next_cursor;
    assert!(filter.cursor.is_some());
    let second = rig.sessions.list(filter).await.expect("listed");
    assert_eq!(second.next_cursor, None);
    let paged: Vec<_> = first
        .sessions
        .iter()
        .chain(&second.sessions)
        .map(|session| session.session_id)
        .collect();
    assert_eq!(paged, expected);
    let wrong = ListFilter {
        cursor: Some("nonsense".to_owned()),
        ..ListFilter::default()
    };
    let refused = rig.sessions.list(wrong).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::InvalidParams);
    assert!(rig.sessions.has_sessions(mine).await.expect("known"));
    assert!(
        !rig.sessions
            .has_sessions(ProjectId::generate())
            .await
            .expect("known")
    );
}

#[tokio::test(start_paused = true)]
async fn the_index_is_derived_and_may_be_lost_stale_or_damaged() {
    let rig = Rig::new();
    let (one, two) = (rig.session().await, rig.session().await);
    rig.exchange(one, "a question").await;
    let before = rig
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed")
        .sessions;
    rig.sessions.sweep().await;
    let good = fs::read(rig.home().join("index")).expect("written");
    rig.exchange(two, "another").await;
    let three = rig.session().await;
    let now = rig
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!((before.len(), now.len()), (2, 3));

    for index in [
        None,
        Some(good),
        Some(b"[{}]".to_vec()),
        Some(Vec::new()),
        Some(vec![0xff; 99]),
    ] {
        let crashed = rig.crashed();
        let path = crashed.home().join("index");
        match index {
            Some(content) => fs::write(&path, content).expect("writable"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let listed = crashed
            .sessions
            .list(ListFilter::default())
            .await
            .expect("listed")
            .sessions;
        assert_eq!(listed, now);
        crashed.sessions.delete(three).await.expect("deleted");
        crashed.sessions.sweep().await;
        let again = crashed.restarted();
        assert_eq!(ids(&again, ListFilter::default()).await.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn entries_that_are_not_sessions_are_not_listed() {
    let rig = Rig::new();
    let id = rig.session().await;
    let sessions = rig.home().join("sessions");
    fs::create_dir(sessions.join("notes")).expect("writable");
    fs::write(sessions.join("README"), "mine").expect("writable");
    fs::create_dir(sessions.join(SessionId::generate().to_string())).expect("writable");
    assert_eq!(ids(&rig.crashed(), ListFilter::default()).await, [id]);
}

#[tokio::test(start_paused = true)]
async fn a_long_log_is_summarised_from_its_ends() {
    let rig = Rig::new();
    let id = rig.session_of(ProjectId::generate(), Some("a title")).await;
    for _ in 0..5 {
        rig.exchange(id, &"x".repeat(300 * 1024)).await;
    }
    let before = rig
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed")
        .sessions;
    let crashed = rig.crashed();
    let after = crashed
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(after[0].title.as_deref(), Some("a title"));
    assert_eq!(after[0].updated_at, before[0].updated_at);
    assert_eq!(after[0].last_persistent_seq, before[0].last_persistent_seq);
}

#[tokio::test(start_paused = true)]
async fn a_session_with_an_unreadable_log_is_listed_with_its_problem() {
    let rig = Rig::new();
    let [good, empty, foreign, directory, pipe] = sessions(&rig).await;
    let log = |id| rig.dir(id).join("events.jsonl");
    fs::write(log(empty), "").expect("writable");
    fs::copy(log(good), log(foreign)).expect("copied");
    fs::remove_file(log(directory)).expect("removed");
    fs::create_dir(log(directory)).expect("writable");
    make_fifo(&log(pipe));
    let again = rig.restarted();
    let page = within(again.sessions.list(ListFilter::default()))
        .await
        .expect("listed");
    assert_eq!(page.sessions.len(), 1);
    assert_eq!(page.sessions[0].session_id, good);
    let problem = |id| {
        let mut unreadable = page.unreadable.iter();
        let found = unreadable.find(|session| session.session_id == id);
        found.map_or("none", |session| session.problem.as_str())
    };
    assert_eq!(problem(empty), "the log has no header");
    assert_eq!(
        problem(foreign),
        format!("the log belongs to session {good}")
    );
    assert!(problem(directory).contains("not a regular file"));
    assert!(problem(pipe).contains("not a regular file"));
    assert_eq!(page.unreadable.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn unreadable_sessions_come_last_and_are_paged_with_the_others() {
    let rig = Rig::new();
    let all = sessions::<5>(&rig).await;
    for id in &all[..3] {
        fs::write(rig.dir(*id).join("events.jsonl"), "{}\n").expect("writable");
    }
    let again = rig.restarted();
    let mut filter = ListFilter {
        project_id: None,
        limit: 2,
        ..ListFilter::default()
    };
    let mut pages = Vec::new();
    loop {
        let page = again.sessions.list(filter.clone()).await.expect("listed");
        pages.push((page.sessions.len(), page.unreadable.len()));
        match page.next_cursor {
            Some(cursor) => filter.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(pages, [(2, 0), (0, 2), (0, 1)]);
    let archived = ListFilter {
        archived: true,
        ..ListFilter::default()
    };
    let archived = again.sessions.list(archived).await.expect("listed");
    assert_eq!(archived.unreadable, []);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_becomes_unreadable_keeps_its_place_until_it_can_be_read_again() {
    let rig = Rig::new();
    let project = ProjectId::generate();
    let id = rig.session_of(project, Some("a title")).await;
    ids(&rig, ListFilter::default()).await;
    rig.sessions.sweep().await;
    let path = rig.dir(id).join("events.jsonl");
    let good = fs::read(&path).expect("readable");
    fs::write(&path, "").expect("writable");
    let mut again = rig.restarted();
    let mut of_project = ListFilter {
        project_id: Some(project),
        ..ListFilter::default()
    };
    for _ in 0..2 {
        let page = again
            .sessions
            .list(of_project.clone())
            .await
            .expect("listed");
        assert_eq!(page.unreadable, []);
        assert_eq!(page.sessions[0].title.as_deref(), Some("a title"));
        assert_eq!(page.sessions[0].phase, Phase::Failed);
        let problem = page.sessions[0].problem.as_deref();
        assert_eq!(problem, Some("the log has no header"));
        again.sessions.sweep().await;
        again = again.restarted();
    }
    fs::write(&path, good).expect("writable");
    of_project.archived = false;
    let page = again.sessions.list(of_project).await.expect("listed");
    assert_eq!(page.sessions[0].problem, None);
    assert_eq!(page.sessions[0].phase, Phase::Idle);
}

#[tokio::test(start_paused = true)]
async fn a_failed_load_is_in_the_listing_until_one_succeeds() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let disk = Disk::new();
    let again = rig.crashed().restarted_on(disk.storage());
    let problem = async || {
        let page = again.sessions.list(ListFilter::default()).await;
        page.expect("listed").sessions[0].problem.clone()
    };
    assert_eq!(problem().await, None);
    disk.fail_next_open();
    again
        .sessions
        .get(id)
        .await
        .expect_err("it cannot be opened");
    let told = problem().await.expect("a problem");
    assert!(told.contains("too many open files"), "{told}");
    again.lane(id).await;
    assert_eq!(problem().await, None);
}

#[tokio::test(start_paused = true)]
async fn the_index_is_written_only_when_something_has_changed() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    ids(&rig, ListFilter::default()).await;
    let index = rig.home().join("index");
    rig.sessions.sweep().await;
    fs::remove_file(&index).expect("written");
    rig.sessions.sweep().await;
    assert!(!index.exists(), "nothing has changed");
    archive(&rig, id).await;
    rig.sessions.sweep().await;
    let written = fs::read(&index).expect("something has changed");
    let again = rig.restarted();
    ids(&again, ListFilter::default()).await;
    fs::remove_file(&index).expect("there");
    again.sessions.sweep().await;
    assert!(!index.exists(), "the file said all of it");
    fs::write(&index, &written[..written.len() / 2]).expect("writable");
    let again = rig.restarted();
    ids(&again, ListFilter::default()).await;
    again.sessions.sweep().await;
    let mended = fs::read(&index).expect("written");
    assert_eq!(mended, written);
}
