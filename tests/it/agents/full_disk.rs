//! A disk that is full when an agent ends.

use std::fs::{self, OpenOptions};

use scorel_proto::{ResultDelivery, RuntimeStatus};
use scorel_testkit::{ResponseGate, ScriptedChat, ScriptedResponse};
use serde_json::Value;

use super::scene::{AGENTS, AgentScene};
use crate::full_disk::{cannot_mount, fill, inside};
use crate::under_test::session;

/// The room that is left: for the end of the agent's turn, of 315,000 bytes, and not for the result as well.
const ROOM: u64 = 450 * 1024;

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
    let filler = inside(&scene.daemon, &scene.daemon.home().join("filler"));
    fill(&filler);
    let file = OpenOptions::new().write(true).open(&filler).unwrap();
    let full = file.metadata().unwrap().len();
    file.set_len(full - ROOM).unwrap();
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
    assert_eq!(runtime.status, RuntimeStatus::Running);

    fs::remove_file(filler).unwrap();
    watch.until("runtime_result_delivered").await;
    watch.until("turn_outcome").await;
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
