//! A daemon that is lost in the middle of a prompt.

use scorel_client::{ClientAnchors, SessionStream, StreamItem};
use scorel_testkit::{ModelServer, ResponseGate, ScriptedChat};
use tokio::time::timeout;

use super::editor::Editor;
use crate::under_test::{Door, PATIENCE, SCORELCTL, SCORELD, daemon, scorelctl};

#[tokio::test]
async fn a_prompt_survives_its_daemon_and_is_answered_once() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .text("before")
            .wait(&gate)
            .text("never")
            .finish("stop"),
    );
    model.fallback(ScriptedChat::default().text("whole answer").finish("stop"));
    let mut daemon = daemon(&model, "[runtime]\nonRestart = \"resume\"\n").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "hi").await;
    editor
        .wait(|it| it["params"]["update"]["content"]["text"] == "before")
        .await;
    gate.reached().await;
    daemon.kill().await;
    daemon.spawn().await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    let texts = editor.texts("agent_message_chunk");
    let whole = texts
        .iter()
        .filter(|it| it.contains("whole answer"))
        .count();
    assert_eq!(whole, 1, "{texts:?}");
    assert!(editor.texts("user_message_chunk").is_empty());
    let next = editor.prompt(&session, "again").await;
    assert_eq!(editor.stopped(next).await, "end_turn");
    let is = |it: &serde_json::Value| it["id"] == prompt && it["method"].is_null();
    assert!(!editor.has(is), "answered twice");
}

#[tokio::test]
async fn a_turn_that_a_crash_interrupted_is_an_error() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .text("before")
            .wait(&gate)
            .finish("stop"),
    );
    let mut daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "hi").await;
    editor
        .wait(|it| it["params"]["update"]["content"]["text"] == "before")
        .await;
    gate.reached().await;
    daemon.kill().await;
    daemon.spawn().await;
    let failed = editor.answer(prompt).await.unwrap_err();
    assert_eq!(failed["data"]["code"], "interrupted");
}

/// Waits until a client that starts nothing has tried to come back for some time; others have meanwhile.
async fn has_tried(mut witness: SessionStream<Door>) {
    let trying = async {
        loop {
            let item = witness.next().await.unwrap().expect("a session");
            if matches!(item, StreamItem::Reconnecting { attempt: 6.., .. }) {
                return;
            }
        }
    };
    timeout(PATIENCE, trying).await.expect("in time");
}

#[tokio::test]
async fn a_daemon_that_was_stopped_stays_so_until_the_editor_asks_for_something() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("the answer").finish("stop"));
    let daemon = daemon(&model, "").await;
    let mut agent = tokio::process::Command::new(SCORELCTL);
    agent
        .arg("acp")
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home());
    let mut editor = Editor::of(agent, &daemon.project());
    editor.initialize().await;
    let session = editor.new_session().await;
    let (door, id) = (Door(daemon.socket()), session.parse().unwrap());
    let witness = SessionStream::open(door, id, ClientAnchors::default()).await;
    let stopped = scorelctl(&daemon, &["stop"], &[]).await;
    assert!(stopped.status.success());
    has_tried(witness.unwrap()).await;
    let status = scorelctl(&daemon, &["--no-start", "status"], &[]).await;
    assert!(!status.status.success(), "it runs again");
    let prompt = editor.prompt(&session, "go on").await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    assert!(scorelctl(&daemon, &["stop"], &[]).await.status.success());
}
