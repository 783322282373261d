//! Editors and daemons that do not read, and messages that are too long.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::editor::Editor;
use crate::under_test::daemon;

/// More than the agent needs for the most that it may hold.
const MEMORY_KIB: u64 = 60 * 1024;

fn signal(daemon: &DaemonUnderTest, signal: Signal) {
    let pid = i32::try_from(daemon.pid()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[tokio::test]
async fn an_editor_that_never_reads_takes_no_memory() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let mut input = editor.take_input();
    let mut batch = String::new();
    for id in 0..1_000 {
        let params = json!({"cwd": "/tmp", "cursor": null});
        let method = if id % 2 == 0 {
            "session/list"
        } else {
            "unknown"
        };
        batch += &format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        );
    }
    // It stops reading at some time, so that the write waits.
    let mut written = 0;
    while written < 300
        && timeout(Duration::from_secs(3), input.write_all(batch.as_bytes()))
            .await
            .is_ok()
    {
        written += 1;
    }
    assert!(
        written < 300,
        "all requests were read, though no answer was"
    );
    assert!(editor.peak_kib() < MEMORY_KIB, "{} KiB", editor.peak_kib());
}

#[tokio::test]
async fn cancels_for_a_daemon_that_does_not_answer_take_no_memory() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("ok").finish("stop"));
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    signal(&daemon, Signal::STOP);
    let prompt = editor.prompt(&session, "hi").await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    let batch = format!("{cancel}\n").repeat(1_000);
    for _ in 0..200 {
        editor.write(&batch).await;
    }
    assert!(editor.peak_kib() < MEMORY_KIB, "{} KiB", editor.peak_kib());
    signal(&daemon, Signal::CONT);
    assert_eq!(editor.stopped(prompt).await, "cancelled");
    let prompt = editor.prompt(&session, "and now?").await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
}

#[tokio::test]
async fn a_prompt_that_the_daemon_would_not_read_fails_alone() {
    let model = ModelServer::start().await.unwrap();
    let gate = scorel_testkit::ResponseGate::default();
    model.answer(
        ScriptedChat::default()
            .wait(&gate)
            .text("ok")
            .finish("stop"),
    );
    let daemon = daemon(&model, "").await;
    let mut editor = Editor::start(&daemon).await;
    let session = editor.new_session().await;
    let running = editor.prompt(&session, "hi").await;
    gate.reached().await;
    let long = editor.prompt(&session, &"x".repeat(9 * 1024 * 1024)).await;
    let refused = editor.answer(long).await.unwrap_err();
    assert_eq!(refused["code"], -32602);
    assert_eq!(refused["data"]["code"], "payload_too_large");
    gate.open();
    assert_eq!(editor.stopped(running).await, "end_turn");
    assert!(!daemon.errors().contains("too large"));
}
