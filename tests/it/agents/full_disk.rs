//! A disk that is full when an agent ends.

use std::fs;

use scorel_proto::{AgentTaskStatus, ResultDelivery};
use scorel_testkit::{ResponseGate, ScriptedChat, ScriptedResponse};
use serde_json::Value;

use super::scene::{AGENTS, AgentScene};
use crate::full_disk::{cannot_mount, in_namespace, inside};
use crate::under_test::session;

/// A disk on which the result has no room, for the blobs of the session that gave the task: the agent's own
/// session has a disk with room.
const SMALL: &str = "mkdir -m 700 -p $1 && mount -t tmpfs -o size=64k,mode=700 scorel $1";

const ENOUGH: &str = "mount -o remount,size=1m $1";

#[tokio::test(flavor = "multi_thread")]
async fn a_result_waits_for_room_and_is_delivered_once() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return;
    }
    let scene = AgentScene::on_small_disk(AGENTS).await;
    let gate = ResponseGate::new();
    let long = "a result ".repeat(35_000);
    let answer = ScriptedChat::default().text(&long).finish("stop");
    let answer = ScriptedResponse::from(answer).hold(&gate);
    scene.parts.answer("one", answer);
    let deliver = ResultDelivery::Turn;
    let spawned = scene.spawn_as("developer", "one", None, deliver).await;
    gate.reached().await;
    let mut watch = scene.watch().await;
    let lead = scene.daemon.session_dir(&scene.lead.to_string());
    let blobs = lead.join("blobs");
    in_namespace(&scene.daemon, SMALL, &blobs);
    gate.open();

    while session(&scene.client, scene.lead)
        .await
        .storage_stalled
        .is_none()
    {
        tokio::task::yield_now().await;
    }
    let child = session(&scene.client, spawned.session_id).await;
    assert_eq!(
        (child.turn_id, child.storage_stalled),
        (None, None),
        "it has ended"
    );
    let runtime = scene.runtime(spawned.runtime_id).await.runtime;
    assert_eq!(runtime.status, AgentTaskStatus::Running);

    in_namespace(&scene.daemon, ENOUGH, &blobs);
    let both = ["runtime_result_delivered", "turn_outcome"];
    watch.until_all(&both).await;
    let log = scene.daemon.log_path(&scene.lead.to_string());
    let log = fs::read_to_string(inside(&scene.daemon, &log)).unwrap();
    let records = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let results = records.filter(|record| record["message"]["meta"]["runtimeId"].is_string());
    assert_eq!(results.count(), 1);
    assert_eq!(
        session(&scene.client, scene.lead).await.storage_stalled,
        None
    );
}
