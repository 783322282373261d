//! Prompts, their queue, their cancel and what they link to.

use scorel_testkit::{ModelServer, ResponseGate, ScriptedChat};
use serde_json::json;

use super::editor::Editor;
use crate::under_test::{connect, daemon, send};

#[tokio::test]
async fn a_prompt_behind_the_turn_of_another_client_is_answered_by_its_own() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("one")
            .finish("stop"),
    );
    model.answer(ScriptedChat::default().text("two").finish("stop"));
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let client = connect(&daemon.socket()).await;
    send(&client, session.parse().unwrap(), "from elsewhere").await;
    let said = editor.update("user_message_chunk").await;
    assert_eq!(said["content"]["text"], "from elsewhere");
    assert!(said["messageId"].as_str().unwrap().starts_with("evt_"));
    gate.reached().await;
    let parts = json!([{"type": "text", "text": "mine"}, {"type": "text", "text": "and more"}]);
    let prompt = editor.prompt_with(&session, &parts).await;
    editor
        .wait(|it| {
            it["params"]["update"]["content"]["text"]
                == "[this prompt waits in the queue of the session]\n\n"
        })
        .await;
    gate.open();
    editor.forget();
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    assert!(
        editor
            .texts("agent_message_chunk")
            .concat()
            .ends_with("two")
    );
    let log = daemon.log(&session);
    let texts = log.iter().map(|it| &it["message"]["content"][0]["text"]);
    assert!(texts.into_iter().any(|it| it == "mine\n\nand more"));
    assert!(editor.texts("user_message_chunk").is_empty());
}

#[tokio::test]
async fn a_cancel_right_after_a_prompt_cancels_it() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.fallback(
        ScriptedChat::default()
            .wait(&gate)
            .text("late")
            .finish("stop"),
    );
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    for _ in 0..20 {
        let prompt = editor.prompt(&session, "hi").await;
        editor
            .notify("session/cancel", &json!({"sessionId": session}))
            .await;
        assert_eq!(editor.stopped(prompt).await, "cancelled");
    }
}

#[tokio::test]
async fn a_cancel_takes_a_queued_prompt_back_and_leaves_the_turn_of_another_client() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("one")
            .finish("stop"),
    );
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let client = connect(&daemon.socket()).await;
    send(&client, session.parse().unwrap(), "from elsewhere").await;
    gate.reached().await;
    let prompt = editor.prompt(&session, "mine").await;
    editor
        .notify("session/cancel", &json!({"sessionId": session}))
        .await;
    assert_eq!(editor.stopped(prompt).await, "cancelled");
    gate.open();
    editor
        .wait(|it| it["params"]["update"]["content"]["text"] == "one")
        .await;
}

#[tokio::test]
async fn a_link_into_the_project_attaches_its_file_and_no_other_does() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("ok").finish("stop"));
    let daemon = daemon(&model, "").await;
    let outside = daemon.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.txt"), "OUTSIDE").unwrap();
    daemon.write_project_file("a.txt", "INSIDE");
    daemon.write_project_file("b.txt", "SECOND");
    std::os::unix::fs::symlink(outside.join("a.txt"), daemon.project().join("link.txt")).unwrap();
    std::os::unix::fs::symlink(&outside, daemon.project().join("dir")).unwrap();
    let beside = format!("{}x", daemon.project().display());
    std::fs::create_dir(&beside).unwrap();
    std::fs::write(format!("{beside}/a.txt"), "BESIDE").unwrap();
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let cwd = editor.cwd().to_owned();
    let uris = [
        format!("file://{cwd}/b.txt"),
        format!("file://{cwd}/../outside/a.txt"),
        format!("file://{cwd}/%2e%2e%2foutside%2fa.txt"),
        format!("file://{cwd}/link.txt"),
        format!("file://{cwd}/dir/a.txt"),
        format!("file://{beside}/a.txt"),
        format!("file://elsewhere{cwd}/a.txt"),
        "https://example.com/a.txt".to_owned(),
        format!("file://{cwd}/missing.txt"),
    ];
    let mut blocks = vec![json!({"type": "text", "text": "see "})];
    blocks.extend(
        uris.iter()
            .map(|uri| json!({"type": "resource_link", "name": "a.txt", "uri": uri})),
    );
    let resource = json!({"uri": format!("file://{cwd}/c.txt"), "text": "UNSAVED"});
    blocks.push(json!({"type": "resource", "resource": resource}));
    let prompt = editor.prompt_with(&session, &json!(blocks)).await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    let sent = model.requests().last().unwrap().json()["messages"].to_string();
    assert!(sent.contains("SECOND") && sent.contains("UNSAVED"));
    for other in ["INSIDE", "OUTSIDE", "BESIDE"] {
        assert!(!sent.contains(other), "{other}: {sent}");
    }
    assert!(sent.contains("https://example.com/a.txt") && sent.contains("missing.txt"));
}

#[tokio::test]
async fn an_image_is_stored_and_sent() {
    const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("ok").finish("stop"));
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let image = json!({"type": "image", "mimeType": "image/png", "data": PIXEL});
    let text = json!({"type": "text", "text": "what is it?"});
    let prompt = editor.prompt_with(&session, &json!([text, image])).await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    let log = daemon.log(&session);
    let message = log.iter().find(|it| it["type"] == "message").unwrap();
    assert_eq!(message["message"]["content"][1]["type"], "image");
    for bad in [
        json!([{"type": "image", "mimeType": "image/png", "data": "%"}]),
        json!([{"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}]),
        json!([]),
    ] {
        let prompt = editor.prompt_with(&session, &bad).await;
        assert_eq!(
            editor.answer(prompt).await.unwrap_err()["code"],
            -32602,
            "{bad}"
        );
    }
}

#[tokio::test]
async fn the_end_of_the_input_detaches_and_the_turn_goes_on() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("whole")
            .finish("stop"),
    );
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    editor.prompt(&session, "hi").await;
    // Not waited for: what was written before the end is carried out.
    editor.close().await;
    gate.reached().await;
    let mut editor = Editor::start(&daemon).await;
    editor.open("session/resume", &session).await.unwrap();
    gate.open();
    editor
        .wait(|it| it["params"]["update"]["content"]["text"] == "whole")
        .await;
}

#[tokio::test]
async fn a_turn_that_fails_is_an_error_with_our_code() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(scorel_testkit::ScriptedResponse::json(
        401,
        r#"{"error":{"message":"no key"}}"#,
    ));
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "hi").await;
    let failed = editor.answer(prompt).await.unwrap_err();
    assert_eq!(
        (&failed["code"], &failed["data"]["code"]),
        (&json!(1018), &json!("auth"))
    );
}
