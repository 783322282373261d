//! Questions about permission.

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};

use super::editor::Editor;
use crate::under_test::{SCORELD, connect, title};

/// A file that no session may write unasked.
fn outside(daemon: &DaemonUnderTest) -> String {
    daemon.root().join("new.txt").to_str().unwrap().to_owned()
}

/// A daemon whose model writes a file outside the project with each turn, which is asked about.
async fn asking() -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    let path = outside(&daemon);
    model.answer_with(move |request| {
        let request = request.json();
        let last = request["messages"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone();
        if last["role"] == "tool" || request["tools"].is_null() {
            return ScriptedChat::default().text("Done.").finish("stop").into();
        }
        let input = json!({"path": path, "content": "line\n"}).to_string();
        let call = ScriptedChat::default().tool_call("call_0", "Write", &input);
        ScriptedResponse::from(call.finish("tool_calls"))
    });
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    (daemon, model)
}

fn ids(question: &Value) -> Vec<&str> {
    let options = question["params"]["options"].as_array().unwrap();
    options
        .iter()
        .map(|it| it["optionId"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn each_answer_is_taken_and_the_question_shows_the_change() {
    for (option, status) in [
        ("once", "completed"),
        ("session", "completed"),
        ("always", "completed"),
        ("deny", "failed"),
    ] {
        let (daemon, _model) = asking().await;
        let mut editor = Editor::start(&daemon).await;
        let session = editor.new_session().await;
        let prompt = editor.prompt(&session, "write").await;
        let question = editor.question().await;
        assert_eq!(ids(&question), ["once", "session", "always", "deny"]);
        let call = &question["params"]["toolCall"];
        assert_eq!(call["content"][0]["type"], "diff");
        assert_eq!(call["content"][0]["newText"], "line\n");
        let path = outside(&daemon);
        assert_eq!(call["content"][0]["path"], path);
        let known = editor.update("tool_call").await;
        assert_eq!(known["toolCallId"], call["toolCallId"]);
        editor.choose(&question, option).await;
        assert_eq!(editor.stopped(prompt).await, "end_turn");
        let id = call["toolCallId"].clone();
        let ended = editor.wait(|it| {
            let update = &it["params"]["update"];
            update["toolCallId"] == id && update["status"] == status
        });
        ended.await;
        assert_eq!(std::path::Path::new(&path).exists(), option != "deny");
    }
}

#[tokio::test]
async fn a_question_shows_what_a_file_held() {
    let (daemon, _model) = asking().await;
    std::fs::write(outside(&daemon), "before\n").unwrap();
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "write").await;
    let question = editor.question().await;
    let diff = &question["params"]["toolCall"]["content"][0];
    assert_eq!(diff["oldText"], "before\n");
    assert_eq!(diff["newText"], "line\n");
    // An option that was not offered leaves it open, and says so.
    editor.choose(&question, "perhaps").await;
    editor
        .wait(|it| {
            let text = &it["params"]["update"]["content"]["text"];
            text.as_str()
                .is_some_and(|it| it.contains("scorelctl approve"))
        })
        .await;
    editor
        .notify("session/cancel", &json!({"sessionId": session}))
        .await;
    assert_eq!(editor.stopped(prompt).await, "cancelled");
    let is_elsewhere = |it: &Value| it.to_string().contains("elsewhere");
    assert!(!editor.has(is_elsewhere), "it was cancelled here");
}

#[tokio::test]
async fn a_question_is_asked_again_after_load_and_withdrawn_when_it_is_answered_elsewhere() {
    let (daemon, _model) = asking().await;
    let mut first = Editor::start(&daemon).await;
    let session = first.new_session().await;
    let prompt = first.prompt(&session, "write").await;
    let question = first.question().await;
    let mut second = Editor::start(&daemon).await;
    second.open("session/load", &session).await.unwrap();
    let again = second.question().await;
    assert_eq!(
        again["params"]["toolCall"]["content"],
        question["params"]["toolCall"]["content"]
    );
    second.choose(&again, "once").await;
    let withdrawn = first.wait(|it| it["method"] == "$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    // The late answer is dropped.
    first.choose(&question, "deny").await;
    assert_eq!(first.stopped(prompt).await, "end_turn");
    first.update("tool_call_update").await;
    second
        .wait(|it| it["params"]["update"]["content"]["text"] == "Done.")
        .await;
    let log = daemon.log(&session);
    let decisions = log.iter().filter(|it| it["type"] == "permission_decision");
    let decisions: Vec<_> = decisions
        .map(|it| it["decision"].as_str().unwrap())
        .collect();
    assert_eq!(decisions, ["once"]);
}

#[tokio::test]
async fn a_client_of_another_kind_answers() {
    let (daemon, _model) = asking().await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "write").await;
    editor.question().await;
    let client = connect(&daemon.socket()).await;
    let session_id = session.parse().unwrap();
    let open = crate::under_test::session(&client, session_id).await;
    assert_eq!(
        serde_json::to_value(open.phase).unwrap(),
        "awaiting_permission"
    );
    title(&client, session_id, "a\u{202e}b").await;
    editor
        .wait(|it| it["params"]["update"]["title"] == "a⟨202e⟩b")
        .await;
    let log = daemon.log(&session);
    let asked = log
        .iter()
        .find(|it| it["type"] == "permission_request")
        .unwrap();
    let params = RespondPermissionParams {
        session_id,
        request_id: asked["requestId"].as_str().unwrap().parse().unwrap(),
        decision: PermissionDecision::Deny,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
    editor.wait(|it| it["method"] == "$/cancel_request").await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
}

#[tokio::test]
async fn a_cancel_ends_a_turn_that_asks() {
    let (daemon, _model) = asking().await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "write").await;
    let question = editor.question().await;
    // The card alone, as by an editor that sends no session/cancel.
    let result = json!({"outcome": {"outcome": "cancelled"}});
    editor
        .send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}))
        .await;
    assert_eq!(editor.stopped(prompt).await, "cancelled");
}
