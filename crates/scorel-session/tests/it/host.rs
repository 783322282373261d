//! Following the daemon.

use scorel_proto::{HostEvent, Project, ProjectId};
use scorel_session::{HostFeed, HostFeedGap};
use serde_json::Value;

use crate::log::text;
use crate::rig::Rig;

fn changes(feed: &HostFeed, after: u64) -> Vec<Value> {
    let changes = feed.after(after).expect("kept");
    let parse = |(_, json): &(u64, bytes::Bytes)| serde_json::from_slice(json).expect("JSON");
    changes.iter().map(parse).collect()
}

fn project(name: &str) -> Project {
    Project {
        project_id: ProjectId::generate(),
        display_name: name.to_owned(),
        work_dir: "/somewhere".to_owned(),
        created_at: 1,
        updated_at: 1,
        orchestrator_session_id: None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_and_the_changes_after_it_tell_everything() {
    let rig = Rig::new();
    let id = rig.session().await;
    let (version, snapshot) = rig
        .sessions
        .snapshot(|| (vec![project("p")], Vec::new(), Vec::new()))
        .await
        .expect("made");
    let HostEvent::Snapshot {
        sessions,
        projects,
        more,
        ..
    } = snapshot
    else {
        panic!("no snapshot");
    };
    assert_eq!((sessions.len(), projects.len(), more), (1, 1, false));
    assert_eq!(sessions[0].session_id, id);
    rig.exchange(id, "one").await;
    rig.sessions.drain(std::time::Duration::from_secs(5)).await;
    let phases: Vec<Value> = changes(rig.sessions.host(), version)
        .iter()
        .map(|change| change["session"]["phase"].clone())
        .collect();
    assert_eq!(phases.first(), Some(&"preparing".into()));
    assert!(phases.contains(&"running".into()));
    assert_eq!(phases.last(), Some(&"idle".into()));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_is_announced() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    let host = rig.sessions.host();
    let mut watch = host.watch();
    let before = host.version();
    assert!(rig.lane(id).await.cancel(None));
    watch
        .wait_for(|version| *version > before)
        .await
        .expect("announced");
    assert_eq!(changes(host, before)[0]["session"]["phase"], "cancelling");
    run.end("done");
    follower.outcome().await;
}

#[test]
fn a_watcher_too_far_behind_gets_a_gap() {
    let feed = HostFeed::new();
    assert_eq!(feed.after(0), Ok(Vec::new()));
    for number in 0..600 {
        feed.project_added(&project(&number.to_string()));
    }
    assert_eq!(feed.after(0), Err(HostFeedGap));
    assert_eq!(feed.version(), 600);
    let kept = changes(&feed, 590);
    assert_eq!(kept.len(), 10);
    assert_eq!(text(&kept[9]["project"], "displayName"), "599");
    feed.project_removed(ProjectId::generate());
    assert_eq!(changes(&feed, 600).len(), 1);
}

#[test]
fn the_size_of_kept_changes_is_bounded() {
    let feed = HostFeed::new();
    let large = project(&"x".repeat(1024 * 1024));
    for _ in 0..8 {
        feed.project_added(&large);
    }
    assert_eq!(feed.after(4), Err(HostFeedGap));
    assert_eq!(
        changes(&feed, 7).len(),
        1,
        "the last one is there, however large"
    );
}
