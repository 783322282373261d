//! `scorelctl acp`: sessions for editors, over the Agent Client Protocol.

pub(crate) mod editor;
mod floods;
mod listing;
mod long;
mod lost;
mod mcp;
mod official;
mod permissions;
mod prompts;

use scorel_testkit::{ModelServer, ScriptedChat};
use serde_json::json;

use crate::under_test::daemon;

use editor::Editor;

#[tokio::test]
async fn a_conversation() {
    let model = ModelServer::start().await.unwrap();
    model.answer(
        ScriptedChat::default()
            .thinking("hm")
            .text("Hel")
            .text("lo")
            .finish("stop")
            .usage(100, 5),
    );
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::bare(&daemon);
    let params = json!({"protocolVersion": 2, "clientCapabilities": {}});
    let known = editor.call("initialize", &params).await.unwrap();
    assert_eq!(known["protocolVersion"], 1);
    let offered = &known["agentCapabilities"];
    assert_eq!(offered["loadSession"], true);
    assert_eq!(offered["promptCapabilities"]["image"], true);
    let mut names: Vec<_> = offered["sessionCapabilities"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    names.sort();
    assert_eq!(names, ["delete", "list", "resume"]);

    let session = editor.new_session().await;
    let first = editor.update("agent_message_chunk").await;
    assert!(
        first["content"]["text"]
            .as_str()
            .unwrap()
            .contains(&session)
    );
    editor.update("available_commands_update").await;
    let prompt = editor.prompt(&session, "hi").await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    assert_eq!(editor.texts("agent_message_chunk").concat(), "Hello");
    assert_eq!(editor.texts("agent_thought_chunk").concat(), "hm");
    assert!(
        editor.texts("user_message_chunk").is_empty(),
        "the editor shows its own prompt"
    );
    let usage = editor.update("usage_update").await;
    assert!(usage["size"].as_u64().unwrap() > usage["used"].as_u64().unwrap());
    editor.close().await;
}

#[tokio::test]
async fn a_message_that_cannot_be_served_is_refused_and_the_next_one_is_not() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::bare(&daemon);
    editor.write("no json\n").await;
    assert_eq!(
        editor.wait(|it| it["id"].is_null()).await["error"]["code"],
        -32700
    );
    editor.write("[]\n").await;
    assert_eq!(
        editor.wait(|it| it["id"].is_null()).await["error"]["code"],
        -32600
    );
    for method in [
        "session/close",
        "session/fork",
        "session/set_mode",
        "authenticate",
        "x",
    ] {
        let refused = editor.call(method, &json!({})).await.unwrap_err();
        assert_eq!(refused["code"], -32601, "{method}");
    }
    let other = "ses_01K1H9Q8000000000000000001";
    for (method, code) in [("session/load", -32002), ("session/resume", -32002)] {
        let refused = editor.open(method, other).await.unwrap_err();
        assert_eq!(refused["code"], code, "{method}");
    }
    for (method, params) in [
        ("session/new", json!({"cwd": "src", "mcpServers": []})),
        (
            "session/load",
            json!({"cwd": "src", "mcpServers": [], "sessionId": other}),
        ),
        (
            "session/resume",
            json!({"cwd": "src", "mcpServers": [], "sessionId": other}),
        ),
        ("session/list", json!({"cwd": "src"})),
        (
            "session/load",
            json!({"cwd": "/", "mcpServers": [], "sessionId": "x"}),
        ),
        ("session/new", json!({})),
    ] {
        let refused = editor.call(method, &params).await.unwrap_err();
        assert_eq!(refused["code"], -32602, "{method} {params}");
    }
    let prompt = editor.prompt(other, "hi").await;
    let refused = editor.answer(prompt).await.unwrap_err();
    assert_eq!(refused["code"], -32002);
    assert!(
        refused["message"]
            .as_str()
            .unwrap()
            .contains("load or resume")
    );
    editor.new_session().await;
}
