//! Cancelled calls, and servers that are not there.

use std::path::Path;
use std::time::{Duration, Instant};

use scorel_proto::{Cancel, CancelParams, RestartProcess, RestartProcessParams};
use serde_json::json;

use super::scene::Scene;
use crate::under_test::{send, until};

/// The time after which a server knows that a call is not wanted any more.
const CANCELLED: Duration = Duration::from_secs(2);

/// The most time of a turn whose start waits for servers, on a busy machine.
const LATE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn progress_is_shown_and_a_cancelled_call_is_withdrawn() {
    let scene = Scene::of("modern").await;
    let mut talk = scene.talk().await;
    scene.will_call("slow", &json!({}));
    send(&scene.client, talk.id, "go on").await;
    let seen = talk.until("tool_execution_update").await;
    let shown = seen.last().unwrap().to_string();
    assert!(shown.contains("working"), "{shown}");
    let began = Instant::now();
    let params = CancelParams {
        session_id: talk.id,
        expected_turn_id: None,
        clear_queue: None,
        children: None,
        command_id: None,
    };
    scene.client.call::<Cancel>(&params).await.unwrap();
    until(|| !scene.noted("cancelled").is_empty()).await;
    assert!(began.elapsed() < CANCELLED, "{:?}", began.elapsed());
    talk.until("turn_outcome").await;
}

#[tokio::test]
async fn progress_extends_the_time_of_a_call() {
    let scene = Scene::configured("modern", "timeoutSeconds = 1").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "slow", &json!({})).await;
    assert!(!result.contains("E_TIMEOUT"), "{result}");
}

#[tokio::test]
async fn a_turn_begins_without_a_server_that_cannot_start() {
    let scene = Scene::of("modern").await;
    std::fs::remove_file(scene.daemon.home().join("server.py")).unwrap();
    let mut talk = scene.talk().await;
    let seen = talk.turn(&scene.client, "hi").await;
    assert!(scene.offered().is_empty());
    let told = seen
        .iter()
        .find(|it| it["code"] == "tools_missing.mcp:fake");
    let told = told.unwrap()["text"].as_str().unwrap();
    assert!(told.contains("it exited with code 2"), "{told}");
}

#[tokio::test]
async fn a_restarted_server_serves_the_next_call() {
    let scene = Scene::of("modern").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "echo", &json!({})).await;
    let process = "mcp:fake".to_owned();
    let params = RestartProcessParams { process };
    let restarted = scene.client.call::<RestartProcess>(&params).await.unwrap();
    assert_eq!(restarted.restarted, 1);
    until(|| scene.noted("started").len() == 2).await;
    let result = scene.call(&mut talk, "echo", &json!({"text": "a"})).await;
    assert!(result.contains("echo: a"), "{result}");
}

#[tokio::test]
async fn a_turn_begins_without_a_server_that_is_late_and_a_renewal_has_it() {
    let scene = Scene::of("late").await;
    let mut talk = scene.talk().await;
    let began = Instant::now();
    let seen = talk.turn(&scene.client, "hi").await;
    assert!(began.elapsed() < LATE, "{:?}", began.elapsed());
    assert!(seen.iter().any(|it| it["code"] == "tools_late.mcp:fake"));
    assert!(scene.offered().is_empty());
    scene.until_ready().await;
    talk.turn(&scene.client, "again").await;
    assert!(scene.offered().is_empty());
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("New tools: mcp__fake__asks"), "{body}");
    scene.refresh(&talk).await;
    talk.turn(&scene.client, "once more").await;
    assert!(!scene.offered().is_empty());
    assert_eq!(scene.noted("started").len(), 2, "one start for all turns");
}

#[tokio::test]
async fn no_server_outlives_the_daemon() {
    let mut scene = Scene::of("modern").await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "echo", &json!({})).await;
    let pid = scene.noted("started")[0]["pid"].to_string();
    let is_there = || Path::new("/proc").join(&pid).join("exe").exists();
    assert!(is_there());
    scene.daemon.stop().await;
    assert!(!is_there());
}
