//! What becomes of results.

use scorel_proto::{AgentTaskStatus, ResultDelivery};
use serde_json::{Value, json};

use super::scene::{AgentScene, arguments, done};
use crate::under_test::{send, session};

/// The messages that hold results of runtimes.
fn results(log: &[Value]) -> Vec<&Value> {
    let messages = log.iter().filter(|record| record["type"] == "message");
    messages
        .filter(|record| record["message"]["meta"]["runtimeId"].is_string())
        .collect()
}

#[tokio::test]
async fn a_result_starts_a_turn_of_an_idle_session_once() {
    let mut scene = AgentScene::new().await;
    let spawned = scene
        .spawn_as("developer", "one", None, ResultDelivery::Turn)
        .await;
    let mut watch = scene.watch().await;
    let both = ["runtime_result_delivered", "turn_outcome"];
    watch.until_all(&both).await;
    let log = scene.log();
    let results = results(&log);
    assert_eq!(results.len(), 1);
    let text = results[0]["message"]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(text.contains(&done("one")), "{text}");
    assert!(text.contains(&spawned.runtime_id.to_string()), "{text}");
    let delivered = log
        .iter()
        .find(|record| record["type"] == "runtime_result_delivered")
        .unwrap();
    assert_eq!(delivered["eventId"], results[0]["id"]);
    assert_eq!(delivered["via"], "message");
    let before = log.len();
    scene.restart().await;
    session(&scene.client, scene.lead).await;
    assert_eq!(
        scene.log().len(),
        before,
        "the next daemon has nothing to do"
    );
}

#[tokio::test]
async fn a_result_for_people_stays_with_the_runtime() {
    let scene = AgentScene::new().await;
    let spawned = scene.spawn("developer", "one").await;
    scene.until_ended(1).await;
    let got = scene.runtime(spawned.runtime_id).await;
    assert_eq!(got.runtime.status, AgentTaskStatus::Completed);
    assert_eq!(got.prompt, "[one] Do it.");
    assert_eq!(got.result.unwrap().last_message, done("one"));
    assert_eq!(got.runtime.usage.input_tokens, 100);
    assert!(results(&scene.log()).is_empty());
}

#[tokio::test]
async fn a_running_turn_gets_results_before_its_next_step() {
    let scene = AgentScene::new().await;
    scene
        .parts
        .call("lead", "AgentSpawn", &arguments("developer", "one"));
    let lead = scene.parts.hold("lead");
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    watch.until("runtime_finished").await;
    lead.open();
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    let log = scene.log();
    let results = results(&log);
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["message"]["meta"]["source"], "steer");
    let turns = log.iter().filter(|record| record["type"] == "turn_outcome");
    assert_eq!(turns.count(), 1, "no turn of its own");
    assert_eq!(scene.parts.requests_of("lead"), 3);
}

#[tokio::test]
async fn a_call_that_waits_gets_the_result_and_no_message_does() {
    let scene = AgentScene::new().await;
    let gate = scene.parts.hold("one");
    scene
        .parts
        .call("lead", "AgentSpawn", &arguments("developer", "one"));
    scene
        .parts
        .call("lead", "AgentStatus", &json!({"waitSeconds": 600}));
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    gate.reached().await;
    loop {
        let started = watch.until("tool_started").await;
        if started.last().unwrap()["toolName"] == "AgentStatus" {
            break;
        }
    }
    gate.open();
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    watch_delivery(&scene).await;
    let log = scene.log();
    assert!(results(&log).is_empty(), "the call has the result");
    let results: Vec<&Value> = log
        .iter()
        .filter(|record| record["message"]["toolName"] == "AgentStatus")
        .collect();
    let text = results[0]["message"]["content"][0].to_string();
    assert!(text.contains(&done("one")), "{text}");
}

async fn watch_delivery(scene: &AgentScene) {
    let mut watch = scene.watch().await;
    let seen = watch.until("runtime_result_delivered").await;
    assert_eq!(seen.last().unwrap()["via"], "tool_result");
}
