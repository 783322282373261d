//! Listing sessions without reading their logs.

use std::fs;

use scorel_proto::{ErrorCode, ProjectId, SessionChanges, SessionId, SessionKind};
use scorel_session::ListFilter;

use crate::rig::{Rig, message};

async fn ids(rig: &Rig, filter: ListFilter) -> Vec<SessionId> {
    let (sessions, _) = rig.sessions.list(filter).await.expect("listed");
    sessions.iter().map(|session| session.session_id).collect()
}

async fn archive(rig: &Rig, id: SessionId) {
    let changes = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    rig.lane(id)
        .await
        .update(message("x").command, changes)
        .await
        .expect("changed");
}

/// Waits until the time of day has moved on, so that what is newer is newer.
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
    let (first, next) = rig.sessions.list(filter.clone()).await.expect("listed");
    filter.cursor = next;
    assert!(filter.cursor.is_some());
    let (second, next) = rig.sessions.list(filter).await.expect("listed");
    assert_eq!(next, None);
    let paged: Vec<_> = first
        .iter()
        .chain(&second)
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
    let (before, _) = rig
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed");
    rig.sessions.sweep().await;
    let good = fs::read(rig.home().join("index")).expect("written");
    rig.exchange(two, "another").await;
    let three = rig.session().await;
    let (now, _) = rig
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed");
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
        let (listed, _) = crashed
            .sessions
            .list(ListFilter::default())
            .await
            .expect("listed");
        assert_eq!(listed, now);
        crashed.sessions.delete(three).await.expect("deleted");
        crashed.sessions.sweep().await;
        let again = crashed.restarted();
        assert_eq!(ids(&again, ListFilter::default()).await.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_no_session_is_not_listed() {
    let rig = Rig::new();
    let id = rig.session().await;
    let sessions = rig.home().join("sessions");
    fs::create_dir(sessions.join("notes")).expect("writable");
    fs::write(sessions.join("README"), "mine").expect("writable");
    fs::create_dir(sessions.join(SessionId::generate().to_string())).expect("writable");
    assert_eq!(ids(&rig.crashed(), ListFilter::default()).await, [id]);
}

#[tokio::test(start_paused = true)]
async fn a_long_log_is_summarised_by_its_ends() {
    let rig = Rig::new();
    let id = rig.session_of(ProjectId::generate(), Some("a title")).await;
    for _ in 0..5 {
        rig.exchange(id, &"x".repeat(300 * 1024)).await;
    }
    let (before, _) = rig
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed");
    let crashed = rig.crashed();
    let (after, _) = crashed
        .sessions
        .list(ListFilter::default())
        .await
        .expect("listed");
    assert_eq!(after[0].title.as_deref(), Some("a title"));
    assert_eq!(after[0].updated_at, before[0].updated_at);
    assert_eq!(after[0].last_persistent_seq, before[0].last_persistent_seq);
}
