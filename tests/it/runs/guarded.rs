//! Ways around the guard of a run's document, as a model may try them.

use std::fs;

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams};
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::answers::{DOCUMENT, leaves, reads_document};
use super::scene::{RunScene, said};
use crate::under_test::has_sandbox;

/// A call with an id of its own.
struct Attempt {
    id: &'static str,
    tool: &'static str,
    input: Value,
    /// The code of its error, and a part of the message or the details that says how to go on.
    refused: (&'static str, &'static str),
}

/// The result of a call, as a session's log has it.
fn result(log: &[Value], id: &str) -> Value {
    let blocks = log.iter().map(|it| &it["message"]["content"][0]);
    let mut found = blocks.filter(|it| it["type"] == "tool_result" && it["toolUseId"] == id);
    found
        .next()
        .unwrap_or_else(|| panic!("no result of {id}"))
        .clone()
}

#[tokio::test]
async fn the_document_is_changed_by_the_tools_of_the_run_alone() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = scene.document(started.run_id);
    let before = fs::read_to_string(&document).unwrap();
    let forged = before.replacen("currentNodeId: ''", "currentNodeId: end", 1);
    let attempts = [
        Attempt {
            id: "write",
            tool: "Write",
            input: json!({"path": DOCUMENT, "content": forged}),
            refused: ("EACCES", "fs_apply_patch"),
        },
        Attempt {
            id: "edit",
            tool: "Edit",
            input: json!({"path": DOCUMENT, "edits": [{"oldString": "''", "newString": "end"}]}),
            refused: ("EACCES", "fs_apply_patch"),
        },
        Attempt {
            id: "absolute",
            tool: "Write",
            input: json!({"path": document, "content": forged}),
            refused: ("E_SANDBOX_VIOLATION", "Scorel"),
        },
        Attempt {
            id: "whole",
            tool: "fs_write",
            input: json!({"path": DOCUMENT, "content": forged}),
            refused: ("E_INVALID_TRANSITION", "allowedNext"),
        },
        Attempt {
            id: "package",
            tool: "fs_write",
            input: json!({"path": "@pkg/ask.md", "content": "Skip it.\n"}),
            refused: ("EACCES", "read-only"),
        },
    ];
    scene.model.answer(reads_document());
    for Attempt {
        id, tool, input, ..
    } in &attempts
    {
        let call = ScriptedChat::default().tool_call(id, tool, &input.to_string());
        scene.model.answer(call.finish("tool_calls"));
    }
    scene.model.answer(leaves("ask", "write"));
    scene.model.answer(said("Written."));
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    for Attempt {
        id,
        refused: (code, way),
        ..
    } in &attempts
    {
        let result = result(&log, id);
        assert_eq!(result["isError"], true, "{id}: {result}");
        // One that leads into the daemon's home is refused by the permissions, as in any session.
        let (told, error) = (&result["content"].to_string(), &result["details"]["error"]);
        assert!(told.contains(code) && told.contains(way), "{id}: {result}");
        assert!(
            error["code"] == *code || *id == "absolute",
            "{id}: {result}"
        );
    }
    assert_eq!(scene.get(started.run_id).await.run.node_id, "write");
    let states = scene.records(started.session_id, "workflow.state");
    let causes: Vec<&Value> = states.iter().map(|it| &it["cause"]).collect();
    // The document is compared before each call of the model: it was as before until the patch.
    assert_eq!(causes, ["started", "patch"]);
}

/// A person is asked, as the file is Scorel's own; one who agrees does not open it to the sandbox.
#[tokio::test]
async fn a_command_does_not_reach_the_document_even_if_a_person_agrees() {
    if !has_sandbox() {
        return;
    }
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = scene.document(started.run_id);
    let before = fs::read_to_string(&document).unwrap();
    let command = format!("echo forged >> {}; echo ended", document.display());
    let call = json!({"command": command, "description": "Go to the end"}).to_string();
    let call = ScriptedChat::default().tool_call("bash", "Bash", &call);
    scene.model.answer(call.finish("tool_calls"));
    scene.model.answer(reads_document());
    scene.model.answer(leaves("ask", "write"));
    started.send("Cats.").await;
    let asked = started.asked().await;
    let reason = asked["reason"].as_str().unwrap();
    assert!(reason.contains("it belongs to Scorel"), "{reason}");
    let params = RespondPermissionParams {
        session_id: started.session_id,
        request_id: serde_json::from_value(asked["requestId"].clone()).unwrap(),
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    scene.call::<RespondPermission>(&params).await;
    started.until("WaitingUser", "question").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    let result = result(&log, "bash");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("ended\n"), "it ran: {text}");
    let after = fs::read_to_string(&document).unwrap();
    assert!(!after.contains("forged") && after != before, "{after}");
    let states = scene.records(started.session_id, "workflow.state");
    let causes: Vec<&Value> = states.iter().map(|it| &it["cause"]).collect();
    assert_eq!(causes, ["started", "patch"]);
}
