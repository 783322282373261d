//! Prompts, resources and instructions of servers.

use std::fs;

use scorel_client::Connection;
use scorel_proto::{
    CommandInfo, CommandKind, ErrorCode, ListCommands, ListCommandsParams, RpcError, RunCommand,
    RunCommandParams, SessionId,
};
use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use super::scene::Scene;
use crate::under_test::send;

const SERVER: &str = include_str!("library.py");

/// A server of a kind, which notes what is read.
pub(super) async fn library(mode: &str, kind: &str, keys: &str) -> Scene {
    let mode = format!("mode = {mode:?}");
    Scene::start(&mode, |daemon| entry(daemon, kind) + keys).await
}

fn entry(daemon: &DaemonUnderTest, kind: &str) -> String {
    let server = daemon.home().join("library.py");
    fs::write(&server, SERVER).unwrap();
    let notes = daemon.home().join("notes");
    format!("command = \"python3\"\nargs = [{server:?}, {kind:?}, {notes:?}]\n")
}

pub(super) async fn commands(client: &Connection, session_id: SessionId) -> Vec<CommandInfo> {
    let params = ListCommandsParams {
        session_id: Some(session_id),
        project_id: None,
    };
    let found = client.call::<ListCommands>(&params).await.unwrap().commands;
    found
        .into_iter()
        .filter(|it| it.kind == CommandKind::Prompt)
        .collect()
}

pub(super) async fn run(
    client: &Connection,
    id: SessionId,
    name: &str,
    typed: &str,
) -> Result<(), RpcError> {
    let params = RunCommandParams {
        session_id: id,
        name: name.to_owned(),
        arguments: typed.to_owned(),
        while_running: None,
        model: None,
        runner: None,
        command_id: None,
    };
    match client.call::<RunCommand>(&params).await {
        Ok(_) => Ok(()),
        Err(scorel_client::ClientError::Rpc(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn prompts_are_commands_with_their_arguments() {
    let scene = library("full", "wet", "").await;
    let mut talk = scene.talk().await;
    let listed = commands(&scene.client, talk.id).await;
    let names: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let review = listed
        .iter()
        .find(|it| it.name == "mcp__fake__review")
        .unwrap();
    assert_eq!(review.description, "Review a file");
    assert_eq!(review.argument_hint.as_deref(), Some("<file> [depth]"));
    assert!(review.arguments[0].required && !review.arguments[1].required);
    let changed = names.iter().filter(|it| it.starts_with("mcp__fake__a_b_"));
    assert_eq!(changed.count(), 2, "{names:?}");
    run(&scene.client, talk.id, "mcp__fake__review", "'a b' depth=2")
        .await
        .unwrap();
    talk.until("turn_outcome").await;
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("Do review with"), "{body}");
    assert!(
        body.contains("a b") && body.contains("Like this."),
        "{body}"
    );
    assert!(body.contains("data:image/png;base64,aGk="), "{body}");
    let missing = run(&scene.client, talk.id, "mcp__fake__review", " ")
        .await
        .unwrap_err();
    assert_eq!(missing.code, ErrorCode::InvalidParams);
    assert!(missing.message.contains("`file` is missing"), "{missing:?}");
    let unknown = run(&scene.client, talk.id, "mcp__fake__reviev", "x")
        .await
        .unwrap_err();
    assert_eq!(unknown.code, ErrorCode::UnknownName);
    let mut failed = Vec::new();
    for name in names.iter().filter(|it| it.starts_with("mcp__fake__a_b_")) {
        failed.extend(run(&scene.client, talk.id, name, "").await.err());
    }
    assert_eq!(failed.len(), 1, "{names:?}");
    assert!(failed[0].message.contains("not today"), "{failed:?}");
}

#[tokio::test]
async fn a_changed_list_of_prompts_is_read_again_and_one_that_is_slow_is_not_awaited() {
    let scene = library("full", "wet", "").await;
    let mut talk = scene.talk().await;
    assert_eq!(commands(&scene.client, talk.id).await.len(), 4);
    run(&scene.client, talk.id, "mcp__fake__ask", "what's it")
        .await
        .unwrap();
    talk.until("turn_outcome").await;
    assert_eq!(commands(&scene.client, talk.id).await.len(), 5);
    let slow = library("full", "slow", "").await;
    let talk = slow.talk().await;
    assert!(commands(&slow.client, talk.id).await.is_empty());
    slow.until_ready().await;
    assert_eq!(commands(&slow.client, talk.id).await.len(), 4);
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let scene = library("full", "wet", "").await;
    let mut talk = scene.talk().await;
    let all = scene.read(&mut talk, &json!({"server": "fake"})).await;
    for told in [
        "doc://one (one, text/plain, 7 bytes): About one",
        "doc://last",
        "doc://page/{n}",
    ] {
        assert!(all.contains(told), "{told}: {all}");
    }
    for (uri, told) in [
        ("doc://one", "The text of doc://one"),
        ("doc://bytes", "not text; it is kept"),
        ("doc://long", "cut here"),
    ] {
        let text = scene
            .read(&mut talk, &json!({"server": "fake", "uri": uri}))
            .await;
        assert!(text.contains(told) && text.len() < 31_000, "{uri}: {text}");
    }
    scene
        .read(
            &mut talk,
            &json!({"server": "fake", "uri": "doc://picture"}),
        )
        .await;
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("data:image/png;base64,aGk="), "{body}");
    let other = scene.read(&mut talk, &json!({"server": "none"})).await;
    assert!(other.contains("fake"), "{other}");
    let dry = library("full", "dry", "").await;
    let mut talk = dry.talk().await;
    talk.turn(&dry.client, "hi").await;
    let body = dry.model.requests().last().unwrap().json().to_string();
    assert!(!body.contains("McpResource") && body.contains("mcp__fake__noop"));
}

#[tokio::test]
async fn a_resource_is_asked_about_unless_the_user_believes_its_server() {
    for (keys, asks) in [("", true), ("trustReadOnly = true", false)] {
        let scene = library("ask", "wet", keys).await;
        let mut talk = scene.talk().await;
        scene.will_read(&json!({"server": "fake", "uri": "doc://one"}));
        send(&scene.client, talk.id, "go on").await;
        let awaited = if asks {
            "permission_request"
        } else {
            "turn_outcome"
        };
        let seen = talk.until(awaited).await;
        let asked = seen.iter().any(|it| it["type"] == "permission_request");
        assert_eq!(asked, asks, "{keys}");
        assert_eq!(scene.noted("read").is_empty(), asks, "{keys}");
    }
}

#[tokio::test]
async fn a_rule_denies_the_resources_of_a_server() {
    let scene = Scene::start(
        "mode = \"full\"\ndeny = [\"Tool(McpResource server=fake)\"]",
        |daemon| entry(daemon, "wet"),
    )
    .await;
    let mut talk = scene.talk().await;
    let refused = scene
        .read(&mut talk, &json!({"server": "fake", "uri": "doc://one"}))
        .await;
    assert!(refused.contains("denies it"), "{refused}");
    assert!(scene.noted("read").is_empty());
}

#[tokio::test]
async fn instructions_reach_the_model_once_and_within_their_bound() {
    let scene = library("full", "wet", "").await;
    let mut talk = scene.talk().await;
    for _ in 0..3 {
        talk.turn(&scene.client, "hi").await;
    }
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert_eq!(
        body.matches("Instructions of MCP servers").count(),
        1,
        "{body}"
    );
    let told = body.matches("before you answer.").count();
    assert!((80..120).contains(&told), "{told}");
    assert!(body.contains("[…]"));
}
