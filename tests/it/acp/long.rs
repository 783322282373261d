//! A long history, and one with a branch.

use scorel_proto::{
    ImportSession, ImportSessionParams, ListProjects, NoParams, Rewind, RewindParams,
};
use scorel_testkit::{ModelServer, ScriptedChat};
use serde_json::json;

use super::editor::Editor;
use crate::under_test::{connect, create_session, daemon, session};

const MESSAGES: usize = 10_000;

/// Of the whole process, with optimisation: see docs/design/0049-acp.md. Tests are built without, which needs more.
const MEMORY_KIB: u64 = 80 * 1024;

/// A transcript of Claude Code.
fn transcript() -> String {
    let mut lines = String::new();
    for number in 0..MESSAGES {
        let parent = number.checked_sub(1).map(|it| format!("m{it}"));
        let is_user = number % 2 == 0;
        let message = match is_user {
            true => json!({"role": "user", "content": format!("question {number}")}),
            false => json!({
                "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": format!("answer {number}")}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }),
        };
        let line = json!({
            "parentUuid": parent, "uuid": format!("m{number}"), "isSidechain": false, "cwd": "/p",
            "sessionId": "5a0ddcd0-5487-4794-99ac-143f6bb9e248", "version": "2.1.37",
            "type": if is_user { "user" } else { "assistant" }, "message": message,
            "timestamp": "2026-02-13T02:56:00.123Z",
        });
        lines += &format!("{line}\n");
    }
    lines
}

#[tokio::test]
async fn a_history_of_ten_thousand_messages_is_loaded() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let file = daemon.root().join("transcript.jsonl");
    std::fs::write(&file, transcript()).unwrap();
    let client = connect(&daemon.socket()).await;
    create_session(&client, &daemon).await;
    let projects = client.call::<ListProjects>(&NoParams {}).await.unwrap();
    let params = ImportSessionParams {
        project_id: projects.projects[0].project_id,
        path: file.to_str().unwrap().to_owned(),
        command_id: None,
    };
    let imported = client.call::<ImportSession>(&params).await.unwrap();
    let mut editor = Editor::start(&daemon).await;
    let before = std::time::Instant::now();
    let id = imported.session_id.to_string();
    editor.open("session/load", &id).await.unwrap();
    let (took, peak) = (before.elapsed(), editor.peak_kib());
    println!("{MESSAGES} messages loaded in {took:?}, {peak} KiB");
    let said = editor.texts("user_message_chunk");
    assert_eq!(said.len(), MESSAGES / 2);
    assert_eq!(said.last().unwrap(), &format!("question {}", MESSAGES - 2));
    // The first line is the session's own.
    assert_eq!(editor.texts("agent_message_chunk").len(), 1 + MESSAGES / 2);
    assert!(peak < MEMORY_KIB, "{peak} KiB");
}

#[tokio::test]
async fn a_load_leaves_other_branches_out() {
    let model = ModelServer::start().await.unwrap();
    for text in ["first", "second", "third"] {
        model.answer(ScriptedChat::default().text(text).finish("stop"));
    }
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let id = editor.new_session().await;
    let client = connect(&daemon.socket()).await;
    let session_id = id.parse().unwrap();
    let mut leaf = None;
    for text in ["one", "two"] {
        leaf = session(&client, session_id).await.active_leaf_id;
        let prompt = editor.prompt(&id, text).await;
        editor.stopped(prompt).await;
    }
    let params = RewindParams {
        session_id,
        target_event_id: leaf,
        expected_leaf_id: session(&client, session_id).await.active_leaf_id,
        restore_files: None,
        command_id: None,
    };
    client.call::<Rewind>(&params).await.unwrap();
    let prompt = editor.prompt(&id, "three").await;
    editor.stopped(prompt).await;
    let mut other = Editor::start(&daemon).await;
    other.open("session/load", &id).await.unwrap();
    assert_eq!(other.texts("user_message_chunk"), ["one", "three"]);
    assert_eq!(other.texts("agent_message_chunk")[1..], ["first", "third"]);
}
