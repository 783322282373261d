//! Lists, loads and settings of sessions.

use scorel_testkit::{ModelServer, ScriptedChat};
use serde_json::{Value, json};

use super::editor::Editor;
use crate::under_test::{connect, create_session, daemon, title};

#[tokio::test]
async fn sessions_are_listed_in_pages_and_deleted_to_the_trash() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let client = connect(&daemon.socket()).await;
    for number in 0..120 {
        let id = create_session(&client, &daemon).await;
        if number == 119 {
            title(&client, id, "the last one").await;
        }
    }
    let mut editor = Editor::start(&daemon).await;
    let mut cursor = Value::Null;
    let mut sessions = Vec::new();
    let mut sizes = Vec::new();
    loop {
        let params = json!({"cwd": editor.cwd(), "cursor": cursor});
        let page = editor.call("session/list", &params).await.unwrap();
        let listed = page["sessions"].as_array().unwrap();
        sizes.push(listed.len());
        sessions.extend(listed.iter().cloned());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(sizes, [50, 50, 20]);
    assert_eq!(sessions[0]["title"], "the last one");
    assert_eq!(sessions[0]["cwd"], editor.cwd());
    assert!(sessions[0]["updatedAt"].as_str().unwrap().ends_with('Z'));
    let ids: std::collections::HashSet<_> = sessions
        .iter()
        .map(|it| it["sessionId"].to_string())
        .collect();
    assert_eq!(ids.len(), 120);
    let root = daemon.root().to_str().unwrap().to_owned();
    let none = editor
        .call("session/list", &json!({"cwd": root}))
        .await
        .unwrap();
    assert_eq!(none["sessions"], json!([]));
    let nowhere = json!({"cwd": "/nowhere"});
    let none = editor.call("session/list", &nowhere).await.unwrap();
    assert_eq!(none["sessions"], json!([]));
    let params = json!({"cwd": "/nowhere", "mcpServers": []});
    let refused = editor.call("session/new", &params).await.unwrap_err();
    assert_eq!(refused["data"]["code"], "filesystem_error");
    let params = json!({"sessionId": sessions[0]["sessionId"]});
    editor.call("session/delete", &params).await.unwrap();
    let gone = editor
        .open("session/load", sessions[0]["sessionId"].as_str().unwrap())
        .await;
    assert_eq!(gone.unwrap_err()["code"], -32002);
    let refused = editor
        .call("session/list", &json!({"cursor": "x"}))
        .await
        .unwrap_err();
    assert_eq!(refused["code"], -32602);
}

#[tokio::test]
async fn a_load_replays_and_a_resume_does_not() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("answer").finish("stop"));
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    for text in ["one", "two"] {
        let prompt = editor.prompt(&session, text).await;
        editor.stopped(prompt).await;
    }
    let mut other = Editor::start(&daemon).await;
    other.open("session/resume", &session).await.unwrap();
    other.update("usage_update").await;
    assert!(other.texts("agent_message_chunk").is_empty());
    let mut third = Editor::start(&daemon).await;
    third.open("session/load", &session).await.unwrap();
    assert_eq!(third.texts("user_message_chunk"), ["one", "two"]);
    assert_eq!(
        third.texts("agent_message_chunk")[1..],
        ["answer", "answer"]
    );
    third.forget();
    // Loaded again, it is replayed again, and followed once.
    third.open("session/load", &session).await.unwrap();
    assert_eq!(third.texts("user_message_chunk"), ["one", "two"]);
    third.forget();
    let prompt = editor.prompt(&session, "three").await;
    editor.stopped(prompt).await;
    third.update("usage_update").await;
    third
        .wait(|it| it["params"]["update"]["content"]["text"] == "answer")
        .await;
    assert_eq!(third.texts("user_message_chunk"), ["three"]);
    assert!(third.texts("agent_message_chunk").is_empty());
    let mut other_dir = Editor::start(&daemon).await;
    let params =
        json!({"sessionId": session, "cwd": daemon.root().to_str().unwrap(), "mcpServers": []});
    let refused = other_dir.call("session/load", &params).await.unwrap_err();
    assert_eq!(refused["code"], -32602);
}

#[tokio::test]
async fn a_setting_is_changed_and_other_editors_are_told() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let mut other = Editor::start(&daemon).await;
    let opened = other.open("session/resume", &session).await.unwrap();
    let options = opened["configOptions"].as_array().unwrap();
    let ids: Vec<_> = options
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["model", "thought_level", "runner"]);
    assert_eq!(options[0]["currentValue"], "test:test-model");
    let set =
        |value: &str| json!({"sessionId": session, "configId": "thought_level", "value": value});
    let answer = editor
        .call("session/set_config_option", &set("high"))
        .await
        .unwrap();
    assert_eq!(answer["configOptions"][1]["currentValue"], "high");
    let told = other.update("config_option_update").await;
    assert_eq!(told["configOptions"][1]["currentValue"], "high");
    let refused = editor
        .call("session/set_config_option", &set("huge"))
        .await
        .unwrap_err();
    assert_eq!(refused["code"], -32602);
}
