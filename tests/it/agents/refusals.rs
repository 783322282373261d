//! Tasks that are not given.

use scorel_proto::{
    ArchiveSession, ArchiveSessionParams, ClientId, ErrorCode, Hello, HelloParams, ProtocolRange,
    SpawnRuntime, SpawnRuntimeParams,
};
use serde_json::json;

use super::scene::{AGENTS, AgentScene, arguments, refused, task};
use crate::under_test::send;

#[tokio::test]
async fn a_refusal_says_why() {
    let config = format!(
        "{AGENTS}\n[agents.old]\ndisplayName = \"Old\"\nenabled = false\n\
         [orchestrator]\nmaxOpen = 3\nmaxQueued = 1\n"
    );
    let scene = AgentScene::with(&config).await;
    let error = refused(&scene, &task(scene.lead, "developr", "x")).await;
    assert_eq!(error.code, ErrorCode::AgentNotFound);
    assert_eq!(error.details["suggestion"], "developer");
    let error = refused(&scene, &task(scene.lead, "old", "x")).await;
    assert_eq!(error.code, ErrorCode::SpawnRefused);
    assert_eq!(error.details["kind"], "disabled");
    let gate = scene.parts.hold("one");
    scene.spawn("developer", "one").await;
    gate.reached().await;
    scene.spawn("developer", "two").await;
    let mut watch = scene.watch().await;
    watch.until("runtime_queue_changed").await;
    let error = refused(&scene, &task(scene.lead, "developer", "x")).await;
    assert_eq!(error.details, json!({"kind": "queue_full", "limit": 1}));
    let held = scene.parts.hold("three");
    scene.spawn("reviewer", "three").await;
    held.reached().await;
    let error = refused(&scene, &task(scene.lead, "reviewer", "x")).await;
    assert_eq!(error.details, json!({"kind": "too_many", "limit": 3}));
    held.open();
    gate.open();
    scene.until_ended(3).await;
    let params = ArchiveSessionParams {
        session_id: scene.lead,
        archived: Some(true),
        command_id: None,
    };
    scene.client.call::<ArchiveSession>(&params).await.unwrap();
    let error = refused(&scene, &task(scene.lead, "developer", "x")).await;
    assert_eq!(error.details, json!({"kind": "archived"}));
}

#[tokio::test]
async fn a_model_is_told_why_and_its_turn_goes_on() {
    let scene = AgentScene::new().await;
    scene
        .parts
        .call("lead", "AgentSpawn", &arguments("nobody", "x"));
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    let result = seen
        .iter()
        .find(|event| event["message"]["role"] == "tool_result")
        .unwrap();
    let result = &result["message"]["content"][0];
    assert_eq!(result["isError"], true);
    assert_eq!(result["details"]["error"]["code"], "agent_not_found");
}

#[tokio::test]
async fn a_repeated_command_has_its_first_answer_also_when_the_agent_is_gone() {
    let scene = AgentScene::new().await;
    let hello = HelloParams {
        client_id: Some(ClientId::generate()),
        name: None,
        protocol: ProtocolRange::SUPPORTED,
    };
    scene.client.call::<Hello>(&hello).await.unwrap();
    let params = SpawnRuntimeParams {
        command_id: Some("once".parse().unwrap()),
        ..task(scene.lead, "developer", "one")
    };
    let first = scene.client.call::<SpawnRuntime>(&params).await.unwrap();
    scene.until_ended(1).await;
    let path = scene.daemon.home().join("config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("agents.developer", "agents.builder")).unwrap();
    let again = scene.client.call::<SpawnRuntime>(&params).await.unwrap();
    assert_eq!(again, first);
    let error = refused(&scene, &task(scene.lead, "developer", "two")).await;
    assert_eq!(error.code, ErrorCode::AgentNotFound);
}

#[tokio::test]
async fn a_task_that_waits_gets_no_message_and_an_agent_does_not_go_on_for_another() {
    let scene = AgentScene::new().await;
    let gate = scene.parts.hold("one");
    scene.spawn("developer", "one").await;
    let waits = scene.spawn("developer", "two").await;
    gate.reached().await;
    for message in ["Hurry.", " "] {
        let message = json!({"runtimeId": waits.runtime_id, "message": message});
        scene.parts.call("lead", "AgentSend", &message);
    }
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    let seen = watch.until("turn_outcome").await;
    let results = seen
        .iter()
        .filter(|event| event["message"]["toolName"] == "AgentSend");
    let refused: Vec<bool> = results
        .map(|event| event["message"]["content"][0]["isError"] == true)
        .collect();
    assert_eq!(refused, [true, true]);
    assert_eq!(scene.parts.requests_of("two"), 0);

    gate.open();
    scene.until_ended(2).await;
    let other = SpawnRuntimeParams {
        continued: Some(waits.runtime_id),
        ..task(scene.lead, "reviewer", "x")
    };
    let error = super::scene::refused(&scene, &other).await;
    assert_eq!(error.code, ErrorCode::Conflict);
}
