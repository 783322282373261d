//! The limits of a run over the agents that it gives tasks.

use scorel_proto::{ErrorCode, SpawnRuntime, SpawnRuntimeParams};
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::scene::{RunScene, write_package};

/// Two agents, of which one gives tasks on.
const AGENTS: &str = "\
[tools]
preset = \"all\"

[agents.lead]
displayName = \"Lead\"
tools = \"all\"

[agents.worker]
displayName = \"Worker\"
tools = \"none\"
defaultQuota = 3
";

async fn scene(limits: &str) -> RunScene {
    let scene = RunScene::configured(&format!("{AGENTS}\n[workflow]\n{limits}\n")).await;
    write_package(&scene.installed(), "1.0.0");
    scene
}

/// An answer that gives agents tasks.
fn spawns(tasks: &[(&str, &str)]) -> ScriptedChat {
    let mut chat = ScriptedChat::default();
    for (at, (agent, prompt)) in tasks.iter().enumerate() {
        let arguments = json!({"agentType": agent, "prompt": prompt}).to_string();
        chat = chat.tool_call(&format!("call_{at}"), "AgentSpawn", &arguments);
    }
    chat.finish("tool_calls")
}

/// The fate of each task that a session has given: `ok`, or the kind of the refusal.
fn given(log: &[Value]) -> Vec<String> {
    let results = log
        .iter()
        .filter(|it| it["message"]["toolName"] == "AgentSpawn");
    let results = results.map(|it| {
        let details = &it["message"]["content"][0]["details"];
        let kind = details["error"]["details"]["kind"].as_str();
        kind.unwrap_or("ok").to_owned()
    });
    results.collect()
}

#[tokio::test]
async fn a_run_that_may_give_no_further_task_waits_for_a_person() {
    let scene = scene("maxSpawns = 1").await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let two = [("worker", "[task] one"), ("worker", "[task] two")];
    scene.model.answer(spawns(&two));
    started.send("Cats.").await;
    started.until("WaitingUser", "limit").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    let mut given = given(&log);
    given.sort();
    assert_eq!(given, ["ok", "run"]);
    let params = SpawnRuntimeParams {
        session_id: started.session_id,
        agent_type: "worker".to_owned(),
        prompt: "[task] three".to_owned(),
        title: None,
        workflow_id: None,
        continued: None,
        deliver: None,
        command_id: None,
    };
    let error = scene.refused::<SpawnRuntime>(&params).await;
    assert_eq!(error.code, ErrorCode::SpawnRefused);
    assert_eq!(error.details, json!({"kind": "run", "limit": 1}));
}

#[tokio::test]
async fn what_agents_use_counts_for_the_run_that_gave_the_task() {
    let scene = scene("maxRunTokens = 150").await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    scene.model.answer(spawns(&[("worker", "[task] one")]));
    started.send("Cats.").await;
    // The result of the agent would begin a turn.
    started.until("WaitingUser", "limit").await;
    let before = scene.model.requests().len();
    started.send("Go on.").await;
    started.until("WaitingUser", "limit").await;
    assert_eq!(scene.model.requests().len(), before);
}

#[tokio::test]
async fn tasks_that_agents_give_count_for_the_run_too() {
    let scene = scene("maxSpawns = 1").await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    scene.model.answer(spawns(&[("lead", "[gives] a task")]));
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    // The result of the agent begins a turn.
    started.until("WaitingUser", "question").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    assert_eq!(given(&log), ["ok"]);
    let spawned = log.iter().find(|it| it["type"] == "runtime_spawned");
    let lead = spawned.expect("it was given")["childSessionId"].clone();
    let log = scene.daemon.log(lead.as_str().expect("an id"));
    assert_eq!(given(&log), ["run"]);
}
