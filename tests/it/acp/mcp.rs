//! The MCP servers of an editor.

use std::fs;
use std::time::Duration;

use scorel_proto::{GetStatus, NoParams};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::daemon;
use super::editor::Editor;
use crate::under_test::{PATIENCE, connect};

const SERVER: &str = include_str!("../mcp/library.py");

/// The editor's entry of the server.
fn entry(daemon: &DaemonUnderTest, name: &str) -> Value {
    let path = daemon.home().join("library.py");
    fs::write(&path, SERVER).unwrap();
    let notes = daemon.home().join("notes");
    json!({
        "name": name, "command": "/usr/bin/env", "args": ["python3", path, "wet", notes],
        "env": [{"name": "TOKEN", "value": "the-secret-of-the-editor"}],
    })
}

fn offered(model: &ModelServer) -> Vec<String> {
    let body = model.requests().last().unwrap().json();
    let tools = body["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    names.filter(|it| it.starts_with("mcp__")).collect()
}

async fn processes(daemon: &DaemonUnderTest) -> usize {
    let client = connect(&daemon.socket()).await;
    client
        .call::<GetStatus>(&NoParams {})
        .await
        .unwrap()
        .processes
        .len()
}

#[tokio::test]
async fn the_servers_of_an_editor_are_those_of_its_session_and_end_with_it() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("answer").finish("stop"));
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let servers = json!([
        entry(&daemon, "My docs"),
        {"type": "sse", "name": "old", "url": "http://127.0.0.1:1/", "headers": []},
    ]);
    let params = json!({"cwd": editor.cwd(), "mcpServers": servers});
    let opened = editor.call("session/new", &params).await.unwrap();
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let prompt = editor.prompt(&session, "hi").await;
    editor.stopped(prompt).await;
    assert_eq!(offered(&model), ["mcp__My_docs__noop"]);
    let notes = editor.texts("agent_message_chunk");
    assert!(
        notes.iter().any(|it| it.contains("old: MCP has given")),
        "{notes:?}"
    );
    let other = editor.new_session().await;
    let prompt = editor.prompt(&other, "hi").await;
    editor.stopped(prompt).await;
    assert!(offered(&model).is_empty(), "another session has none");
    let prompt = editor.prompt(&session, "/mcp__My_docs__ask what").await;
    editor.stopped(prompt).await;
    let body = model.requests().last().unwrap().json().to_string();
    assert!(body.contains("Do ask with"), "{body}");
    let log = daemon
        .home()
        .join("sessions")
        .join(&session)
        .join("events.jsonl");
    let log = fs::read_to_string(log).unwrap();
    assert!(!log.contains("the-secret-of-the-editor"));
    assert_eq!(processes(&daemon).await, 1);
    editor.close().await;
    let gone = async {
        while processes(&daemon).await > 0 {
            // No event tells of it.
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("in time");
}

#[tokio::test]
async fn a_daemon_that_starts_anew_is_given_the_servers_again() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("answer").finish("stop"));
    let mut daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let params = json!({"cwd": editor.cwd(), "mcpServers": [entry(&daemon, "docs")]});
    let opened = editor.call("session/new", &params).await.unwrap();
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    daemon.kill().await;
    daemon.spawn().await;
    let prompt = editor.prompt(&session, "hi").await;
    editor.stopped(prompt).await;
    assert_eq!(offered(&model), ["mcp__docs__noop"]);
}
