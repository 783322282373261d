use std::path::Path;

use scorel_proto::{GetSession, GetSessionParams, SessionId};
use serde_json::{Value, json};

use super::Desk;
use super::editor::{Editor, text, updates};
use crate::under_test::{connect, create_session};

fn opening(id: &str, cwd: &Path) -> Value {
    json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] })
}

#[tokio::test]
async fn a_relative_directory_is_refused_alike() {
    let desk = Desk::new().await;
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    for method in ["session/new", "session/load", "session/resume"] {
        let error = editor
            .fails(method, opening(&id, Path::new("project")))
            .await;
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32602), &json!("invalid_params"))
        );
        assert!(
            error["message"].as_str().unwrap().contains("absolute path"),
            "{error}"
        );
    }
    editor.finish().await;
}

#[tokio::test]
async fn load_replays_and_resume_does_not() {
    let desk = Desk::new().await;
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let prompt = editor.prompt(&id, "hi").await;
    editor.answer(prompt).await;
    editor.finish().await;
    for (method, said, answered) in [("session/load", "hi", "ok"), ("session/resume", "", "")] {
        let mut editor = desk.editor().await;
        let params = opening(&id, &desk.daemon.project());
        let request = editor.request(method, params).await;
        let (answer, before) = editor.answer(request).await;
        assert!(answer["error"].is_null(), "{answer}");
        assert_eq!(text(&before, "user_message_chunk"), said, "{method}");
        assert_eq!(text(&before, "agent_message_chunk"), answered, "{method}");
        let prompt = editor.prompt(&id, "more").await;
        let (answer, before) = editor.answer(prompt).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        assert_eq!(text(&before, "agent_message_chunk"), "ok", "{method}");
        editor.finish().await;
        // The next pass loads what this one began with.
        if method == "session/load" {
            continue;
        }
    }
    let mut editor = desk.editor().await;
    let unknown = opening("ses_unknown", &desk.daemon.project());
    assert_eq!(editor.fails("session/load", unknown).await["code"], -32002);
    editor.finish().await;
}

async fn pages(editor: &mut Editor, cwd: &Path) -> Vec<usize> {
    let mut cursor = Value::Null;
    let mut pages = Vec::new();
    loop {
        let params = json!({ "cwd": cwd, "cursor": cursor });
        let page = editor.call("session/list", params).await;
        let sessions = page["sessions"].as_array().unwrap();
        assert!(sessions.iter().all(|session| session["cwd"] == json!(cwd)));
        pages.push(sessions.len());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            return pages;
        }
    }
}

#[tokio::test]
async fn sessions_are_listed_by_directory_in_pages_and_deleted() {
    let desk = Desk::new().await;
    let client = connect(&desk.daemon.socket()).await;
    let mut last = None;
    for _ in 0..120 {
        last = Some(create_session(&client, &desk.daemon).await);
    }
    let mut editor = desk.editor().await;
    let project = desk.daemon.project();
    assert_eq!(pages(&mut editor, &project).await, [50, 50, 20]);
    assert_eq!(pages(&mut editor, Path::new("/nowhere")).await, [0]);
    let id: SessionId = last.unwrap();
    editor
        .call("session/delete", json!({ "sessionId": id }))
        .await;
    assert_eq!(pages(&mut editor, &project).await, [50, 50, 19]);
    let found = client
        .call::<GetSession>(&GetSessionParams { session_id: id })
        .await;
    assert!(found.is_err() || found.is_ok_and(|found| found.session.deleted.is_some()));
    editor.finish().await;
}

#[tokio::test]
async fn a_directory_becomes_a_project_and_servers_are_ignored_with_a_notice() {
    let desk = Desk::new().await;
    let mut editor = desk.editor().await;
    let cwd = desk.daemon.root().join("elsewhere");
    std::fs::create_dir(&cwd).unwrap();
    let servers = json!([{ "name": "x", "command": "/bin/x", "args": [], "env": [] }]);
    let params = json!({ "cwd": cwd, "mcpServers": servers });
    let created = editor.call("session/new", params).await;
    let id = created["sessionId"].as_str().unwrap().to_owned();
    let (notice, _) = editor
        .until(|it| it["params"]["update"]["sessionUpdate"] == "agent_message_chunk")
        .await;
    assert!(notice.to_string().contains("MCP servers"), "{notice}");
    assert_eq!(pages(&mut editor, &cwd.canonicalize().unwrap()).await, [1]);
    let options = created["configOptions"].as_array().unwrap();
    let ids: Vec<_> = options
        .iter()
        .map(|option| option["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["model", "thought_level", "runner"]);
    let set =
        |config: &str, value: &str| json!({ "sessionId": id, "configId": config, "value": value });
    let result = editor
        .call("session/set_config_option", set("thought_level", "high"))
        .await;
    assert_eq!(result["configOptions"][1]["currentValue"], "high");
    for (config, value) in [
        ("thought_level", "endless"),
        ("runner", "nobody"),
        ("colour", "red"),
    ] {
        editor
            .fails("session/set_config_option", set(config, value))
            .await;
    }
    editor.finish().await;
}

#[tokio::test]
async fn a_link_is_attached_only_if_it_is_in_the_project() {
    let desk = Desk::new().await;
    let root = desk.daemon.root().canonicalize().unwrap();
    let project = desk.daemon.project().canonicalize().unwrap();
    desk.daemon.write_project_file("a.txt", "of the project");
    std::fs::write(root.join("a.txt"), "of another place").unwrap();
    std::os::unix::fs::symlink(root.join("a.txt"), project.join("way-out.txt")).unwrap();
    let mut editor = desk.editor().await;
    let id = editor.new_session(&project).await;
    let link = |path: &Path| {
        let uri = format!("file://{}", path.display());
        json!({ "type": "resource_link", "name": "a.txt", "uri": uri })
    };
    let text_block = json!({ "type": "text", "text": "look" });
    let image = json!({ "type": "image", "mimeType": "image/png", "data": PNG });
    let embedded =
        json!({ "type": "resource", "resource": { "uri": "file:///b", "text": "embedded text" } });
    for (block, attached) in [
        (link(&project.join("a.txt")), true),
        (link(&root.join("a.txt")), false),
        (link(&project.join("../a.txt")), false),
        (link(&project.join("way-out.txt")), false),
        (link(&project.join("missing.txt")), false),
        (image, false),
        (embedded, false),
    ] {
        desk.model.take_requests();
        let params = json!({ "sessionId": id, "prompt": [text_block, block] });
        let request = editor.request("session/prompt", params).await;
        let (answer, _) = editor.answer(request).await;
        assert_eq!(
            answer["result"]["stopReason"], "end_turn",
            "{block}: {answer}"
        );
        let log = desk.daemon.log(&id);
        let said = log
            .iter()
            .rfind(|event| event["message"]["role"] == "user")
            .unwrap();
        let said = said["message"]["content"].to_string();
        assert_eq!(said.contains("of the project"), attached, "{said}");
        assert!(!said.contains("of another place"), "{said}");
        match block["type"].as_str().unwrap() {
            "image" => assert!(said.contains("image/png"), "{said}"),
            "resource" => assert!(said.contains("embedded text"), "{said}"),
            _ => assert!(said.contains("a.txt") || said.contains("file://"), "{said}"),
        }
    }
    editor.finish().await;
}

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
async fn two_editors_see_the_same_session() {
    let desk = Desk::new().await;
    let mut first = desk.editor().await;
    let mut second = desk.editor().await;
    let id = first.new_session(&desk.daemon.project()).await;
    second
        .call("session/load", opening(&id, &desk.daemon.project()))
        .await;
    let prompt = first.prompt(&id, "hi").await;
    let (answer, _) = first.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let (_, before) = second
        .until(|it| it["params"]["update"]["content"]["text"] == "ok")
        .await;
    assert_eq!(text(&before, "user_message_chunk"), "hi");
    assert!(updates(&before, "agent_message_chunk").is_empty());
    first.finish().await;
    second.finish().await;
}
