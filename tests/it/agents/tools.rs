//! The tools of a model that gives tasks.

use serde_json::json;

use super::scene::{AgentScene, arguments};
use crate::under_test::send;

#[tokio::test]
async fn a_model_spawns_sends_stops_and_has_the_list_of_agents() {
    let scene = AgentScene::new().await;
    let one = scene.parts.hold("one");
    scene
        .parts
        .call("lead", "AgentSpawn", &arguments("developer", "one"));
    let lead = scene.parts.hold("lead");
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    one.reached().await;
    lead.reached().await;
    let first = scene.model.requests()[0].json();
    let tools = first["tools"].to_string();
    assert!(
        tools.contains("AgentSpawn")
            && tools.contains("- developer (Developer): Writes code. Can: rust.")
    );
    assert!(
        !tools.contains("\"Bash\""),
        "an orchestrator changes nothing itself"
    );
    let id = scene.runtimes().await[0].runtime_id;
    scene.parts.call(
        "lead",
        "AgentSend",
        &json!({"runtimeId": id, "message": "Hurry."}),
    );
    scene
        .parts
        .call("lead", "AgentStop", &json!({"runtimeId": id}));
    lead.open();
    watch.until("turn_outcome").await;
    // The first answer said that it is done; the next turn makes the calls.
    send(&scene.client, scene.lead, "[lead] Stop it.").await;
    watch.until("runtime_finished").await;
    let runtime = scene.runtime(id).await;
    assert_eq!(
        runtime.runtime.status,
        scorel_proto::AgentTaskStatus::Interrupted
    );
    let session = runtime.runtime.session_id.unwrap().to_string();
    let told = scene
        .daemon
        .log(&session)
        .iter()
        .any(|record| record.to_string().contains("Hurry."));
    assert!(told, "the agent has the message");
}
