use std::path::PathBuf;

use scorel_proto::{
    ListQuestions, ListQuestionsParams, PermissionDecision, RespondPermission,
    RespondPermissionParams, SessionId,
};
use scorel_testkit::{ResponseGate, ScriptedChat};
use serde_json::{Value, json};

use super::editor::{Editor, text, updates};
use super::{Desk, says};
use crate::under_test::{connect, message, send};

fn session_id(text: &str) -> SessionId {
    text.parse().unwrap()
}

fn is_question(message: &Value) -> bool {
    message["method"] == "session/request_permission"
}

#[tokio::test]
async fn the_handshake_offers_what_is_there() {
    let desk = Desk::new().await;
    let mut editor = Editor::start(&desk.daemon);
    let params = json!({ "protocolVersion": 2, "clientCapabilities": {} });
    let result = editor.call("initialize", params).await;
    assert_eq!(result["protocolVersion"], 1);
    let offered = &result["agentCapabilities"];
    assert_eq!(offered["loadSession"], true);
    assert_eq!(offered["promptCapabilities"]["image"], true);
    assert_eq!(offered["promptCapabilities"]["embeddedContext"], true);
    for verb in ["list", "resume", "delete"] {
        assert!(
            offered["sessionCapabilities"][verb].is_object(),
            "{offered}"
        );
    }
    for verb in ["close", "fork", "additionalDirectories"] {
        assert!(offered["sessionCapabilities"][verb].is_null(), "{offered}");
    }
    for method in [
        "session/close",
        "session/fork",
        "session/set_mode",
        "x/y",
        "",
    ] {
        assert_eq!(
            editor.fails(method, json!({})).await["code"],
            -32601,
            "{method}"
        );
    }
    editor.write("{\"jsonrpc\":").await;
    let broken = editor.next().await;
    assert_eq!(
        (&broken["error"]["code"], &broken["id"]),
        (&json!(-32700), &Value::Null)
    );
    let (status, rest) = editor.finish().await;
    assert!(status.success() && rest.is_empty(), "{rest:?}");
}

#[tokio::test]
async fn a_prompt_is_answered_by_its_own_turn() {
    let desk = Desk::new().await;
    desk.model.answer(says("Hello there."));
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let prompt = editor.prompt(&id, "hi").await;
    let (answer, before) = editor.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(text(&before, "agent_message_chunk"), "Hello there.");
    assert_eq!(text(&before, "user_message_chunk"), "");
    let said = updates(&before, "agent_message_chunk");
    assert!(
        said[0]["messageId"].as_str().unwrap().starts_with("evt_"),
        "{said:?}"
    );
    let kind = |kind: &'static str| {
        move |message: &Value| message["params"]["update"]["sessionUpdate"] == kind
    };
    let (usage, _) = editor.until(kind("usage_update")).await;
    assert!(usage["params"]["update"]["size"].as_u64().unwrap() > 0);
    editor.finish().await;
}

#[tokio::test]
async fn a_prompt_behind_the_turn_of_another_client_is_answered_by_its_own() {
    let desk = Desk::new().await;
    let gate = ResponseGate::new();
    desk.model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("first")
            .finish("stop"),
    );
    desk.model.answer(says("second"));
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let client = connect(&desk.daemon.socket()).await;
    send(&client, session_id(&id), "from elsewhere").await;
    let (_, before) = editor
        .until(|message| message["params"]["update"]["sessionUpdate"] == "user_message_chunk")
        .await;
    assert_eq!(text(&before, "agent_message_chunk"), "");
    let prompt = editor.prompt(&id, "mine").await;
    // Answered, so the prompt is queued before the first turn goes on.
    let all_read = editor.fails("x/y", json!({})).await;
    assert_eq!(all_read["code"], -32601);
    gate.open();
    let (answer, before) = editor.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(text(&before, "agent_message_chunk"), "firstsecond");
    assert_eq!(text(&before, "user_message_chunk"), "");
    editor.finish().await;
}

#[tokio::test]
async fn a_prompt_is_cancelled_also_at_once() {
    let desk = Desk::new().await;
    let gate = ResponseGate::new();
    for _ in 0..2 {
        desk.model.answer(
            ScriptedChat::default()
                .wait(&gate)
                .text("late")
                .finish("stop"),
        );
    }
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    for waits in [true, false] {
        let prompt = editor.prompt(&id, "work").await;
        if waits {
            desk.model.wait_for_requests(1).await;
        }
        editor
            .notify("session/cancel", json!({ "sessionId": id }))
            .await;
        let (answer, _) = editor.answer(prompt).await;
        assert_eq!(answer["result"]["stopReason"], "cancelled");
    }
    editor.finish().await;
}

/// A file outside of the project, which no session may write unasked.
fn outside(desk: &Desk) -> PathBuf {
    desk.daemon.root().join("new.txt")
}

/// A daemon whose model writes a file once.
async fn writing() -> Desk {
    let desk = Desk::new().await;
    let input = json!({ "path": outside(&desk), "content": "new\n" });
    let call = ScriptedChat::default().tool_call("call_1", "Write", &input.to_string());
    desk.model.answer(call.finish("tool_calls"));
    desk
}

#[tokio::test]
async fn a_permission_is_asked_with_its_diff_and_each_answer_counts() {
    for (option, status) in [
        ("once", "completed"),
        ("session", "completed"),
        ("always", "completed"),
        ("deny", "failed"),
    ] {
        let desk = writing().await;
        let mut editor = desk.editor().await;
        let id = editor.new_session(&desk.daemon.project()).await;
        let prompt = editor.prompt(&id, "write").await;
        let (question, _) = editor.until(is_question).await;
        let params = &question["params"];
        assert_eq!(params["sessionId"], id.as_str());
        let diff = &params["toolCall"]["content"][0];
        assert_eq!(
            (&diff["type"], &diff["newText"]),
            (&json!("diff"), &json!("new\n"))
        );
        let offered = params["options"].as_array().unwrap();
        assert!(
            offered.iter().any(|it| it["optionId"] == option),
            "{offered:?}"
        );
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        editor.respond(&question["id"], outcome).await;
        let (answer, before) = editor.answer(prompt).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{option}");
        let ended = updates(&before, "tool_call_update");
        assert_eq!(
            ended.last().unwrap()["status"],
            status,
            "{option}: {before:?}"
        );
        assert_eq!(outside(&desk).exists(), option != "deny");
        editor.finish().await;
    }
}

#[tokio::test]
async fn a_question_that_is_answered_elsewhere_is_withdrawn() {
    let desk = writing().await;
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let prompt = editor.prompt(&id, "write").await;
    let (question, _) = editor.until(is_question).await;
    let client = connect(&desk.daemon.socket()).await;
    let open = client
        .call::<ListQuestions>(&ListQuestionsParams::default())
        .await
        .unwrap();
    let params = RespondPermissionParams {
        session_id: session_id(&id),
        request_id: open.questions[0].request.request_id,
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
    let (cancel, _) = editor.until(|it| it["method"] == "$/cancel_request").await;
    assert_eq!(cancel["params"]["requestId"], question["id"]);
    let (update, _) = editor
        .until(|it| it["params"]["update"]["sessionUpdate"] == "tool_call_update")
        .await;
    assert_eq!(update["params"]["update"]["toolCallId"], "call_1");
    // Too late, and the opposite.
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "deny" } });
    editor.respond(&question["id"], outcome).await;
    let (answer, _) = editor.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(outside(&desk).exists());
    editor.finish().await;
}

#[tokio::test]
async fn the_end_of_input_detaches_and_the_turn_goes_on() {
    let desk = Desk::new().await;
    let gate = ResponseGate::new();
    desk.model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("whole")
            .finish("stop"),
    );
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    editor.prompt(&id, "work").await;
    let (status, _) = editor.finish().await;
    assert!(status.success());
    desk.model.wait_for_requests(1).await;
    gate.open();
    let mut editor = desk.editor().await;
    let prompt = editor_follow_up(&mut editor, &desk, &id).await;
    let (answer, before) = editor.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(
        text(&before, "agent_message_chunk").ends_with("wholeok"),
        "{before:?}"
    );
    editor.finish().await;
}

/// Loads a session and sends a prompt, which waits for the turn that runs.
async fn editor_follow_up(editor: &mut Editor, desk: &Desk, id: &str) -> u64 {
    let params = json!({ "sessionId": id, "cwd": desk.daemon.project(), "mcpServers": [] });
    editor.call("session/load", params).await;
    editor.prompt(id, "and more").await
}

#[tokio::test]
async fn a_daemon_that_is_killed_in_a_prompt_is_rejoined() {
    let mut desk = Desk::with("[runtime]\nonRestart = \"resume\"\n").await;
    let gate = ResponseGate::new();
    desk.model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("lost")
            .finish("stop"),
    );
    desk.model.answer(says("A whole answer."));
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let prompt = editor.prompt(&id, "work").await;
    desk.model.wait_for_requests(1).await;
    desk.daemon.kill().await;
    desk.daemon.spawn().await;
    let (answer, before) = editor.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert_eq!(text(&before, "agent_message_chunk"), "A whole answer.");
    let client = connect(&desk.daemon.socket()).await;
    let next = message(session_id(&id), "next");
    client
        .call::<scorel_proto::SendMessage>(&next)
        .await
        .unwrap();
    let (_, before) = editor
        .until(|it| it["params"]["update"]["content"]["text"] == "ok")
        .await;
    assert_eq!(text(&before, "user_message_chunk"), "next");
    assert!(
        before.iter().all(|message| message["id"] != prompt),
        "{before:?}"
    );
    editor.finish().await;
}
