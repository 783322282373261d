//! A conversation that is shortened, left or copied: the run stays where it is, and the model is told of it again.

use std::fs;

use scorel_proto::{
    CloneSession, CloneSessionParams, Compact, CompactParams, EventId, RestoreOptions,
    RestoreScope, Rewind, RewindParams, SendMessage, SendMessageParams, SessionKind,
};
use serde_json::{Value, json};

use super::answers::{calls, leaves, reads_document, results, said_by_user};
use super::scene::{RunScene, StartedScene, write_package};
use crate::under_test::{message, session};

/// The window of 60,000 tokens leaves 56,000 to a request.
const WINDOW: &str = "contextWindow = 60000\nmaxTokens = 4000\n";

/// The file that the node writes.
const NOTES: &str = "@project/artifacts/notes.md";

/// About 11,000 tokens.
fn long(name: &str) -> String {
    format!("{name} {}", "x".repeat(40_000))
}

/// All parts by which a model is told where a run is.
fn assert_is_told(told: &str, node: &str, agent: &str) {
    for part in [
        "RUN_DIRECTIVE\n- runType: bmad-micro\n- intent: continue\n".to_owned(),
        format!("NODE_BRIEF\n- currentNodeId: {node}\n"),
        format!("AGENT_PERSONA\n- agentId: {agent}\n"),
    ] {
        assert!(told.contains(&part), "no {part:?} in {told}");
    }
}

/// The last request of the model.
fn last_request(scene: &RunScene) -> Value {
    scene.model.requests().last().unwrap().json()
}

/// A run that a turn has moved to `write`, with the record that ended its first turn and the document.
async fn moved(scene: &RunScene) -> (StartedScene<'_>, EventId, String) {
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let end = session(&scene.client, started.session_id).await;
    scene.model.answer(reads_document());
    scene.model.answer(calls(
        "fs_write",
        &json!({"path": NOTES, "content": "Cats\n"}),
    ));
    scene.model.answer(leaves("ask", "write"));
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let document = fs::read_to_string(scene.document(started.run_id)).unwrap();
    assert!(document.contains("currentNodeId: \"write\""), "{document}");
    (started, end.active_leaf_id.unwrap(), document)
}

#[tokio::test]
async fn a_run_whose_conversation_was_summarised_is_told_again() {
    let scene = RunScene::configured(WINDOW).await;
    write_package(&scene.installed(), "1.0.0");
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    for name in ["a", "b"] {
        started.send(&long(name)).await;
        started.until("WaitingUser", "question").await;
    }
    let told = scene.told().pop().unwrap();
    assert!(
        !told.contains("AGENT_PERSONA"),
        "it is in the context still"
    );
    let document = fs::read_to_string(scene.document(started.run_id)).unwrap();
    let params = CompactParams {
        session_id: started.session_id,
        instructions: None,
        command_id: None,
    };
    scene.call::<Compact>(&params).await;
    started.compacted().await;
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let told = scene.told().pop().unwrap();
    assert_is_told(&told, "ask", "ann");
    assert!(
        told.ends_with("USER_INPUT\n- forNodeId: ask\nCats."),
        "{told}"
    );
    let after = fs::read_to_string(scene.document(started.run_id)).unwrap();
    assert_eq!(after, document);
}

/// The first call of the turn moves the run; then there is no room for the second.
#[tokio::test]
async fn a_summary_within_a_turn_does_not_take_the_brief_away() {
    let scene = RunScene::configured(WINDOW).await;
    write_package(&scene.installed(), "1.0.0");
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    for name in ["a", "b", "c"] {
        started.send(&long(name)).await;
        started.until("WaitingUser", "question").await;
    }
    scene.model.answer(reads_document().usage(44_000, 20));
    scene.model.answer(leaves("ask", "write").usage(60_000, 20));
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
    let log = scene.daemon.log(&started.session_id.to_string());
    assert!(
        log.iter().any(|it| it["type"] == "compact"),
        "there was room"
    );
    let users = said_by_user(&last_request(&scene)).join("\n");
    assert!(
        users.contains("NODE_BRIEF\n- currentNodeId: write\n"),
        "{users}"
    );
    assert!(users.contains("AGENT_PERSONA\n- agentId: bob\n"), "{users}");
}

#[tokio::test]
async fn a_rewind_leaves_the_document_and_the_run_is_told_where_it_is() {
    let scene = RunScene::new().await;
    let (mut started, end, document) = moved(&scene).await;
    let leaf = session(&scene.client, started.session_id)
        .await
        .active_leaf_id;
    let params = RewindParams {
        session_id: started.session_id,
        target_event_id: Some(end),
        expected_leaf_id: leaf,
        restore_files: Some(RestoreOptions {
            scope: Some(RestoreScope::All),
            on_conflict: None,
        }),
        command_id: None,
    };
    let moved = scene.call::<Rewind>(&params).await;
    assert_eq!(moved.files.unwrap().restored, 1);
    assert!(!scene.daemon.project().join("artifacts/notes.md").exists());
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        document
    );
    started.send("Dogs.").await;
    started.until("WaitingUser", "question").await;
    let request = last_request(&scene);
    let users = said_by_user(&request);
    assert!(
        !users.join("\n").contains("Cats."),
        "that is left: {users:?}"
    );
    assert_is_told(users.last().unwrap(), "write", "bob");
    assert_eq!(scene.get(started.run_id).await.run.node_id, "write");
}

#[tokio::test]
async fn a_message_in_the_place_of_another_is_told_all_of_the_run() {
    let scene = RunScene::new().await;
    let (mut started, _, document) = moved(&scene).await;
    // The persona of `write` was told by a message that is left now.
    started.send("Of cats.").await;
    started.until("WaitingUser", "question").await;
    let sent = SendMessageParams {
        parent_event_id: Some(None),
        ..message(started.session_id, "Of dogs.")
    };
    scene.call::<SendMessage>(&sent).await;
    started.until("WaitingUser", "question").await;
    let users = said_by_user(&last_request(&scene));
    assert!(
        !users.join("\n").contains("cats"),
        "that is left: {users:?}"
    );
    assert_is_told(users.last().unwrap(), "write", "bob");
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        document
    );
}

#[tokio::test]
async fn a_clone_is_an_ordinary_session_without_the_mounts_of_the_run() {
    let scene = RunScene::new().await;
    let (mut started, _, document) = moved(&scene).await;
    let params = CloneSessionParams {
        session_id: started.session_id,
        event_id: session(&scene.client, started.session_id)
            .await
            .active_leaf_id,
        command_id: None,
    };
    let clone = scene.call::<CloneSession>(&params).await.session_id;
    let shown = session(&scene.client, clone).await;
    assert_eq!((shown.kind, shown.run), (SessionKind::User, None));
    let asked = scene.model.requests().len();
    scene.model.answer(leaves("write", "end"));
    scene
        .model
        .answer(calls("Read", &json!({"path": "@state/workflow.md"})));
    crate::under_test::send(&scene.client, clone, "And you?").await;
    let request = scene.model.wait_for_requests(asked + 3).await[asked + 2].json();
    assert_eq!(said_by_user(&request).last().unwrap(), "And you?");
    let tools = request["tools"].to_string();
    assert!(!tools.contains("fs_apply_patch"), "{tools}");
    let found = results(&request);
    let [.., patched, read] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(
        patched.contains("fs_apply_patch"),
        "there is no such tool: {patched}"
    );
    assert!(read.contains("is of no run"), "{read}");
    assert_eq!(
        fs::read_to_string(scene.document(started.run_id)).unwrap(),
        document
    );
    let found = scene.get(started.run_id).await;
    assert_eq!(found.sessions, [started.session_id]);
    started.send("Cats.").await;
    started.until("WaitingUser", "question").await;
}
