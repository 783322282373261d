//! Runners give tasks to agents, by the tools of their turns.

use std::path::PathBuf;

use scorel_proto::{
    PermissionDecision, RespondPermission, RespondPermissionParams, SendMessage, SendMessageParams,
};
use serde_json::{Value, json};
use tokio::process::Command;

use super::scene::{AGENTS, AgentScene, arguments};
use crate::acp::editor::Editor;
use crate::under_test::{SCORELCTL, has_sandbox, message, until};

const RUNNER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/it/agents/runner.py");

/// A runner for each kind of wire.
const WIRES: [(&str, &str); 3] = [
    ("claude", "claude-code"),
    ("acp", "acp"),
    ("plain", "command"),
];

fn config() -> String {
    // The daemon of the scene has no `PATH`.
    let path = std::env::var_os("PATH").unwrap();
    let mut programs = std::env::split_paths(&path).map(|it| it.join("python3"));
    let python = programs.find(|it| it.is_file()).expect("Python");
    let runners = WIRES.map(|(name, kind)| {
        format!(
            "[runners.{name}]\ntype = \"{kind}\"\ncommand = [{python:?}, \"{RUNNER}\", \"{name}\"]\n\
             trustOwn = true\n"
        )
    });
    format!("{AGENTS}\n{}", runners.concat())
}

async fn scene(more: &str) -> AgentScene {
    AgentScene::with(&format!("{}\n{more}", config())).await
}

async fn send_to(scene: &AgentScene, runner: &str, calls: &Value) {
    let params = SendMessageParams {
        runner: Some(runner.to_owned()),
        ..message(scene.lead, &calls.to_string())
    };
    scene.client.call::<SendMessage>(&params).await.unwrap();
}

/// Notes of the runner about its calls.
fn results(events: &[Value]) -> Vec<Value> {
    let said = events.iter().rev().find_map(|event| {
        let is_answer = event["type"] == "message" && event["message"]["role"] == "assistant";
        let content = event["message"]["content"]
            .as_array()
            .filter(|_| is_answer)?;
        content.iter().find_map(|block| block["text"].as_str())
    });
    serde_json::from_str(said.expect("an answer")).unwrap()
}

fn only<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    let found: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect();
    assert_eq!(found.len(), 1, "{kind}: {events:#?}");
    found[0]
}

/// The socket of the session's turn.
fn socket(scene: &AgentScene) -> PathBuf {
    let id = scene.lead.to_string();
    let name = format!(".t{}.0.tmp", &id[id.len() - 8..]);
    scene.daemon.socket().with_file_name(name)
}

#[tokio::test]
async fn a_runner_spawns_an_agent_and_is_given_its_result_once() {
    let scene = scene("").await;
    let mut watch = scene.watch().await;
    for (runner, _) in WIRES {
        let calls = json!([
            ["tools", {}],
            ["AgentSpawn", arguments("developer", runner)],
            ["AgentStatus", {"runtimeIds": ["$runtime"], "waitSeconds": 100}],
            ["Bash", {"command": "true"}],
        ]);
        send_to(&scene, runner, &calls).await;
        let events = watch.until("turn_outcome").await;
        assert_eq!(
            events.last().unwrap()["reason"],
            "completed",
            "{runner} {events:#?}"
        );
        let results = results(&events);
        assert_eq!(
            results[0],
            json!(["AgentSend", "AgentSpawn", "AgentStatus", "AgentStop"])
        );
        let status = results[2].as_str().unwrap();
        assert!(status.contains(&format!("{runner} is done")), "{status}");
        assert!(results[3].as_str().unwrap().starts_with("E_UNKNOWN_TOOL"));

        // The calls are those of the turn, and what the second has given is not delivered again.
        let spawned = only(&events, "runtime_spawned");
        let started: Vec<_> = events
            .iter()
            .filter(|it| it["type"] == "tool_started")
            .collect();
        let names: Vec<_> = started.iter().map(|it| &it["toolName"]).collect();
        assert_eq!(names, ["AgentSpawn", "AgentStatus"]);
        assert_eq!(started[0]["ranBy"], runner);
        assert_eq!(spawned["toolCallId"], started[0]["toolCallId"]);
        assert_eq!(spawned["turnId"], events.last().unwrap()["turnId"]);
        let runtimes = scene.runtimes().await;
        let told = runtimes.iter().find(|it| it.title == runner).unwrap();
        assert_eq!(json!(told.status), "completed");
        let log = scene.log();
        let delivered = log
            .iter()
            .filter(|it| it["type"] == "runtime_result_delivered");
        assert!(delivered.clone().all(|it| it["via"] == "tool_result"));
        // It ends with its turn.
        until(|| !socket(&scene).exists()).await;
    }
}

#[tokio::test]
async fn the_turn_of_a_runner_reaches_its_tools_only_and_ends() {
    let scene = scene("").await;
    let gate = scene.parts.hold("one");
    let mut watch = scene.watch().await;
    let calls = json!([
        ["AgentSpawn", arguments("developer", "one")],
        ["AgentStatus", {"runtimeIds": ["$runtime"], "waitSeconds": 100}],
    ]);
    send_to(&scene, "claude", &calls).await;
    watch.until("runtime_spawned").await;
    let mut server = Command::new(SCORELCTL);
    server
        .args(["mcp", "serve", "--turn"])
        .arg(socket(&scene))
        .env_clear();
    server.env("SCOREL_HOME", scene.daemon.home());
    let mut mcp = Editor::of(server, &scene.daemon.project());
    let list = json!({});
    let listed = mcp.call("tools/list", &list).await.unwrap();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 4);
    assert_eq!(listed["tools"][0]["name"], "AgentSpawn");
    // It is no client: the methods of clients are not there.
    let direct = scorel_client::Connection::connect(&socket(&scene))
        .await
        .unwrap();
    let refused = direct.hello(None).await.unwrap_err().to_string();
    assert!(refused.contains("method"), "{refused}");
    drop(direct);

    // A call that is withdrawn ends, and the turn does not.
    let status = json!({"name": "AgentStatus", "arguments": {"waitSeconds": 100}});
    let id = mcp.request("tools/call", &status).await;
    watch.until("tool_started").await;
    mcp.notify("notifications/cancelled", &json!({"requestId": id}))
        .await;
    gate.open();
    let events = watch.until("turn_outcome").await;
    assert_eq!(events.last().unwrap()["reason"], "completed");
    let spawn = json!({"name": "AgentSpawn", "arguments": arguments("developer", "two")});
    let late = mcp.call("tools/call", &spawn).await.unwrap();
    assert_eq!(late["isError"], true);
    assert_eq!(late["structuredContent"]["code"], "turn_over");
    mcp.call("tools/list", &list).await.unwrap_err();
    assert_eq!(scene.runtimes().await.len(), 1);

    // The next turn of the same process has tools again.
    let calls = json!([["AgentSpawn", arguments("developer", "three")]]);
    send_to(&scene, "claude", &calls).await;
    watch.until("turn_outcome").await;
    assert_eq!(scene.runtimes().await.len(), 2);
    let log = scene.log();
    let starts: Vec<_> = log
        .iter()
        .filter(|it| it["type"] == "runner_start")
        .collect();
    assert_eq!(starts[1]["context"], "resumed");
    mcp.close().await;
}

#[tokio::test]
async fn rules_and_hooks_hold_for_the_calls_of_a_runner() {
    let rules = r#"
[permissions]
deny = ["AgentSpawn(reviewer)"]
ask = ["AgentSpawn(developer)"]
[[hooks]]
name = "guard"
event = "PreToolUse"
matcher = "AgentSpawn"
command = "grep -q evil || exit 0; echo no evil tasks >&2; exit 2"
"#;
    let scene = scene(rules).await;
    let mut watch = scene.watch().await;
    let calls = json!([
        ["AgentSpawn", arguments("reviewer", "one")],
        ["AgentSpawn", arguments("developer", "evil")],
        ["AgentSpawn", arguments("developer", "asked")],
        ["AgentSpawn", arguments("developer", "refused")],
    ]);
    send_to(&scene, "claude", &calls).await;
    for decision in [PermissionDecision::Once, PermissionDecision::Deny] {
        let events = watch.until("permission_request").await;
        let request = events.last().unwrap();
        assert_eq!(request["toolName"], "AgentSpawn");
        let answer = RespondPermissionParams {
            session_id: scene.lead,
            request_id: serde_json::from_value(request["requestId"].clone()).unwrap(),
            decision,
            reason: None,
            command_id: None,
        };
        scene
            .client
            .call::<RespondPermission>(&answer)
            .await
            .unwrap();
    }
    let events = watch.until("turn_outcome").await;
    let results = results(&events);
    let texts: Vec<_> = results.iter().map(|it| it.as_str().unwrap()).collect();
    assert!(texts[0].starts_with("not run"), "{texts:?}");
    assert!(texts[1].contains("no evil tasks"), "{texts:?}");
    assert!(texts[2].contains("rti_"), "{texts:?}");
    assert!(!texts[3].contains("rti_"), "{texts:?}");
    let runtimes = scene.runtimes().await;
    assert_eq!(runtimes.len(), 1);
    assert_eq!(runtimes[0].title, "asked");
}

/// Writes what it was started with into `arguments`, and ends.
const NOTING: &str = r#"
[runners.noting]
type = "codex"
command = ["/bin/bash", "-c", '''printf '%s\n' "$@" >arguments; exit 1''', "bash"]
"#;

#[tokio::test]
async fn codex_is_told_of_the_tools_by_its_options() {
    let scene = scene(NOTING).await;
    let mut watch = scene.watch().await;
    send_to(&scene, "noting", &json!([["tools", {}]])).await;
    watch.until("turn_outcome").await;
    let text = std::fs::read_to_string(scene.daemon.project().join("arguments")).unwrap();
    let options: Vec<_> = text.lines().filter(|it| *it != "-c").collect();
    let socket = json!(["mcp", "serve", "--turn", socket(&scene)]);
    let expected = [
        "app-server".to_owned(),
        format!("mcp_servers.scorel.command={}", json!(SCORELCTL)),
        format!("mcp_servers.scorel.args={socket}"),
        "mcp_servers.scorel.tool_timeout_sec=660".to_owned(),
        "mcp_servers.scorel.default_tools_approval_mode=\"approve\"".to_owned(),
    ];
    assert_eq!(options, expected);
}

#[tokio::test]
async fn a_runner_that_cannot_have_the_tools_is_named() {
    let confined = "[runners.confined]\ntype = \"command\"\nsandbox = \"scorel\"\ntrustOwn = true\n\
                    command = [\"/bin/sh\", \"-c\", \"echo socket:$SCOREL_TURN_SOCKET\"]\n";
    if !has_sandbox() {
        return;
    }
    let scene = scene(confined).await;
    let mut watch = scene.watch().await;
    send_to(&scene, "confined", &json!([["tools", {}]])).await;
    let events = watch.until("turn_outcome").await;
    let notice = only(&events, "notice");
    assert_eq!(notice["code"], "agent_tools_missing.confined");
    let said = events
        .iter()
        .find(|it| it["message"]["role"] == "assistant")
        .unwrap();
    let text = said["message"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.trim(), "socket:");
}
