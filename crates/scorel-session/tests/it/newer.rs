//! Logs that a newer version has written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{
    Anchors, ErrorCode, Phase, Seq, SessionChanges, SessionId, SessionView, SyncMode,
};
use scorel_session::{CancelAndClear, ListFilter, SessionError, UpdateRequest};

use crate::rig::{Rig, clear, client, command, message};

/// Makes a session's log one of format 2.
fn renew(rig: &Rig, id: SessionId) {
    let path = rig.dir(id).join("events.jsonl");
    let log = fs::read_to_string(&path).expect("a log");
    let (header, records) = log.split_once('\n').expect("a header");
    let log = format!("{}\n{records}", with_format(header, 2));
    fs::write(path, log).expect("writable");
}

fn with_format(header: &str, format: u32) -> String {
    let (covered, _) = header.split_once(",\"crc\"").expect("sealed");
    let (before, after) = covered.split_once("\"format\":").expect("a format");
    let covered = format!("{before}\"format\":{format}{}", &after[1..]);
    let crc = crc32c::crc32c(covered.as_bytes());
    format!("{covered},\"crc\":\"{crc:08x}\"}}")
}

/// A session in the middle of a turn, with one turn before, as a newer version left it.
async fn newer() -> (Rig, SessionId) {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    rig.begin(id, "two").await;
    let call = rig.model().await;
    let mut follower = rig.follow(id).await;
    call.text("half a sentence").await;
    follower.until("text_delta").await;
    let crashed = rig.crashed();
    renew(&crashed, id);
    (crashed, id)
}

/// Every file of a directory with its content.
fn contents(dir: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(dir).expect("readable");
    entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let content = fs::read(&path).expect("a file");
            let content = String::from_utf8_lossy(&content).into_owned();
            (name.into_owned(), content)
        })
        .collect()
}

fn assert_refused<T: std::fmt::Debug>(result: Result<T, SessionError>) {
    let error = result.expect_err("refused");
    assert_eq!(error.code(), ErrorCode::SessionFailed);
    assert!(error.to_string().contains("format 2"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_log_of_a_newer_version_is_read_as_far_as_it_is_understood() {
    let (rig, id) = newer().await;
    let log = rig.log(id);
    let session = rig.lane(id).await.session().expect("described");
    assert_eq!(session.phase, Phase::Failed);
    let problem = session.problem.expect("a problem");
    assert!(problem.contains("format 2"), "{problem}");
    assert_eq!(session.active_leaf_id, log.fold().leaf());
    let lane = rig.lane(id).await;
    let page = lane.events(None, None, 100).await.expect("readable");
    let served: Vec<_> = page.events.iter().map(|event| event.text()).collect();
    assert_eq!(served, log.lines);
    let tree = lane.tree(Seq::ZERO, 100).expect("readable");
    assert_eq!(tree.nodes.len(), log.fold().tree.nodes().count());
    let follower = rig.follow(id).await;
    assert_eq!(follower.view.leaf(), log.fold().leaf());
    let last = log.fold().state.last_persistent_seq;
    let anchors = Anchors {
        persistent_last_seq: last,
        stream_last_seq: Some(last),
        persistent_last_id: None,
    };
    let mut back = rig.follow_from(id, SessionView::default(), anchors).await;
    let start = back.until("sync_start").await;
    let mode = serde_json::from_value::<SyncMode>(start["mode"].clone());
    assert_eq!(mode.expect("a mode"), SyncMode::StreamResume);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_beside_a_log_of_a_newer_version() {
    let (rig, id) = newer().await;
    let path = rig.dir(id).join("events.jsonl");
    let mut log = fs::read(&path).expect("readable");
    // An unfinished line and a damaged one are left alone too.
    let damaged = log.len() - 40;
    log[damaged] ^= 1;
    log.extend_from_slice(b"{\"seq\":9,");
    fs::write(&path, log).expect("writable");
    let mut before = contents(&rig.dir(id));
    Arc::clone(&rig.sessions).recover().await;
    let lane = rig.lane(id).await;
    assert_refused(lane.check_writable());
    assert_refused(lane.mutate(message("three")).await);
    assert_refused(lane.mutate(command(client(), "c1", "three")).await);
    let changes = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    assert_refused(
        lane.mutate(UpdateRequest {
            command: message("x").command,
            changes,
        })
        .await,
    );
    assert!(!lane.cancel(None));
    assert_refused(
        lane.mutate(CancelAndClear {
            command: clear(),
            expected: None,
            clears: true,
            stops_children: false,
        })
        .await,
    );
    drop(lane);
    assert_refused(rig.sessions.delete(id).await);
    // Later damage is noticed, but nothing about it is written.
    let mut log = fs::read(&path).expect("readable");
    let middle = log.len() / 2;
    log[middle] ^= 1;
    fs::write(&path, &log).expect("writable");
    let log = String::from_utf8_lossy(&log).into_owned();
    before.insert("events.jsonl".to_owned(), log);
    rig.follow(id).await;
    rig.sessions.sweep().await;
    assert!(rig.sessions.drain(Duration::from_secs(5)).await);
    assert_eq!(contents(&rig.dir(id)), before);
}

#[tokio::test(start_paused = true)]
async fn a_log_of_a_newer_version_is_listed_and_read_again_by_the_next_daemon() {
    let (rig, id) = newer().await;
    for load in [false, true] {
        if load {
            rig.lane(id).await;
        }
        let page = rig.sessions.list(ListFilter::default()).await;
        let page = page.expect("listed");
        assert_eq!(page.sessions[0].phase, Phase::Failed);
        let problem = page.sessions[0].problem.as_deref().expect("a problem");
        assert!(problem.contains("format 2"), "{problem}");
    }
    rig.sessions.sweep().await;
    let path = rig.dir(id).join("events.jsonl");
    let log = fs::read_to_string(&path).expect("readable");
    let (header, records) = log.split_once('\n').expect("a header");
    let log = format!("{}\n{records}", with_format(header, 1));
    // To a daemon that knows the format it is a log like any other.
    fs::write(&path, log).expect("writable");
    let again = rig.restarted();
    let page = again.sessions.list(ListFilter::default()).await;
    assert_eq!(page.expect("listed").sessions[0].problem, None);
}

#[tokio::test(start_paused = true)]
async fn a_newer_log_with_another_kind_of_header_is_listed_and_not_deleted() {
    let (rig, id) = newer().await;
    let path = rig.dir(id).join("events.jsonl");
    let covered = "{\"format\":2,\"kindOfLog\":\"other\"";
    let crc = crc32c::crc32c(covered.as_bytes());
    fs::write(&path, format!("{covered},\"crc\":\"{crc:08x}\"}}\n")).expect("writable");
    let page = rig.sessions.list(ListFilter::default()).await;
    let unreadable = page.expect("listed").unreadable;
    assert_eq!(unreadable[0].session_id, id);
    assert!(unreadable[0].problem.contains("format 2"));
    assert_refused(rig.sessions.get(id).await);
    assert_refused(rig.sessions.delete(id).await);
    assert!(path.exists());
}
