//! The limits that hold where the configuration names none.

use scorel_proto::{
    CreateSession, CreateSessionParams, SessionId, SpawnRuntime, SpawnRuntimeParams, ToolPreset,
};
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::scene::{AGENTS, AgentScene, arguments, refused, task};
use crate::under_test::send;

/// Another session that can give tasks.
async fn another(scene: &AgentScene) -> SessionId {
    let params = CreateSessionParams {
        project_id: scene.project,
        title: None,
        runner: None,
        model: None,
        thinking_level: None,
        tools: Some(ToolPreset::All),
        command_id: None,
    };
    let created = scene.client.call::<CreateSession>(&params).await.unwrap();
    created.session_id
}

/// The errors of the results of a tool in a log.
fn errors(log: &[Value], tool: &str) -> Vec<Value> {
    let results = log
        .iter()
        .filter(|record| record["message"]["toolName"] == tool);
    let blocks = results.map(|record| &record["message"]["content"][0]);
    let failed = blocks.filter(|block| block["isError"] == true);
    failed
        .map(|block| block["details"]["error"].clone())
        .collect()
}

#[tokio::test]
async fn a_session_has_32_open_tasks_and_a_queue_256() {
    let scene = AgentScene::new().await;
    let running = scene.parts.hold("t0");
    let mut given = 0;
    let mut parents = vec![scene.lead];
    // One runs and 256 wait.
    'full: loop {
        let parent = parents[parents.len() - 1];
        for _ in 0..32 {
            if given == 257 {
                break 'full;
            }
            let params = task(parent, "developer", &format!("t{given}"));
            scene.client.call::<SpawnRuntime>(&params).await.unwrap();
            given += 1;
            if given == 1 {
                running.reached().await;
            }
        }
        let error = refused(&scene, &task(parent, "reviewer", "x")).await;
        assert_eq!(error.details, json!({"kind": "too_many", "limit": 32}));
        parents.push(another(&scene).await);
    }
    let last = parents[parents.len() - 1];
    let error = refused(&scene, &task(last, "developer", "x")).await;
    assert_eq!(error.details, json!({"kind": "queue_full", "limit": 256}));
    let params: SpawnRuntimeParams = task(last, "reviewer", "elsewhere");
    scene.client.call::<SpawnRuntime>(&params).await.unwrap();
}

#[tokio::test]
async fn a_turn_gives_16_tasks_and_goes_on_after_the_refusal_of_the_next() {
    let scene = AgentScene::new().await;
    let mut calls = ScriptedChat::default();
    for index in 0..17 {
        let id = format!("call_{index}");
        let task = arguments("developer", &format!("t{index}"));
        calls = calls.tool_call(&id, "AgentSpawn", &task.to_string());
    }
    scene.parts.answer("lead", calls.finish("tool_calls"));
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    let errors = errors(&scene.log(), "AgentSpawn");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["code"], "spawn_refused");
    assert_eq!(
        errors[0]["details"],
        json!({"kind": "too_many", "limit": 16})
    );
    assert_eq!(scene.runtimes().await.len(), 16);
}

#[tokio::test]
async fn a_task_is_passed_on_twice() {
    let config = "[agents.lead]\ndisplayName = \"Lead\"\ntools = \"orchestrator\"\n";
    let scene = AgentScene::with(config).await;
    for (name, next) in [("a", "b"), ("b", "c")] {
        let next = arguments("lead", next);
        scene.parts.call(name, "AgentSpawn", &next);
        let wait = json!({"waitSeconds": 600});
        scene.parts.call(name, "AgentStatus", &wait);
    }
    // With a quota of one: those that wait for their own tasks do not count.
    let spawned = scene.spawn("lead", "a").await;
    scene.until_ended(1).await;
    let runtime = scene.runtime(spawned.runtime_id).await;
    assert_eq!(runtime.result.unwrap().last_message, "a is done");
    let below = scene.daemon.log(&spawned.session_id.to_string());
    let mut spawns = below
        .iter()
        .filter(|record| record["type"] == "runtime_spawned");
    let below = spawns.next().unwrap()["childSessionId"].as_str().unwrap();
    let errors = errors(&scene.daemon.log(below), "AgentSpawn");
    assert_eq!(errors[0]["details"], json!({"kind": "depth", "limit": 2}));
    assert_eq!(scene.parts.order(), ["a", "b"]);
}

#[tokio::test]
async fn a_spent_budget_refuses_further_tasks() {
    // A task takes 100 tokens, so a dollar at this price.
    let price = "price = { input = 10000, output = 0 }\n";
    let config = format!("{price}{AGENTS}\n[orchestrator]\nmaxCost = 1.5\n");
    let scene = AgentScene::with(&config).await;
    for name in ["one", "two"] {
        scene.spawn("developer", name).await;
    }
    scene.until_ended(2).await;
    let error = refused(&scene, &task(scene.lead, "developer", "x")).await;
    assert_eq!(error.details, json!({"kind": "budget", "limit": 1_500_000}));

    let another = arguments("developer", "three");
    scene.parts.call("lead", "AgentSpawn", &another);
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    let seen = watch.until("turn_outcome").await;
    assert_eq!(seen.last().unwrap()["reason"], "completed");
    let errors = errors(&scene.log(), "AgentSpawn");
    assert_eq!(errors[0]["details"]["kind"], "budget");
}
