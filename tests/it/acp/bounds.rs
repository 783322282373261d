use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::Desk;
use super::editor::Editor;

fn anonymous_kib(editor: &Editor) -> u64 {
    let path = format!("/proc/{}/status", editor.child.id().unwrap());
    let status = fs::read_to_string(path).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:"));
    let value = line.and_then(|line| line.split_whitespace().nth(1));
    value.unwrap().parse().unwrap()
}

const REQUESTS: usize = 300_000;

/// Waits until the number stays the same. On a slow machine that may be early, where less is held.
async fn until_nothing_moves(number: &AtomicUsize) {
    let mut last = usize::MAX;
    while last != number.load(Ordering::Relaxed) {
        last = number.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test]
async fn an_editor_that_reads_nothing_is_not_read_either() {
    let desk = Desk::new().await;
    let mut editor = desk.editor().await;
    let before = anonymous_kib(&editor);
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x/y\",\"params\":{}}\n";
    let mut input = editor.take_input();
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let sending = tokio::spawn(async move {
        for _ in 0..REQUESTS {
            input.write_all(line).await.unwrap();
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    until_nothing_moves(&sent).await;
    assert!(!sending.is_finished());
    let held = anonymous_kib(&editor).saturating_sub(before);
    assert!(held < 32 * 1024, "{held} KiB");
    // All are answered once they are read.
    for _ in 0..REQUESTS {
        let answer = editor.next().await;
        assert_eq!(answer["id"], 7);
    }
    sending.await.unwrap();
}

#[tokio::test]
async fn many_requests_to_cancel_are_one_while_the_daemon_is_stopped() {
    let desk = Desk::new().await;
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let pid = Pid::from_raw(desk.daemon.pid().cast_signed()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let before = anonymous_kib(&editor);
    for _ in 0..20_000 {
        editor
            .notify("session/cancel", json!({ "sessionId": id }))
            .await;
    }
    // Answered without the daemon, so all before it were read.
    assert_eq!(editor.fails("x/y", json!({})).await["code"], -32601);
    let held = anonymous_kib(&editor).saturating_sub(before);
    kill_process(pid, Signal::CONT).unwrap();
    assert!(held < 4 * 1024, "{held} KiB");
    let prompt = editor.prompt(&id, "hi").await;
    let (answer, _) = editor.answer(prompt).await;
    assert!(answer["result"]["stopReason"].is_string(), "{answer}");
    editor.finish().await;
}

#[tokio::test]
async fn a_request_that_is_too_long_fails_alone() {
    let desk = Desk::new().await;
    let mut editor = desk.editor().await;
    let id = editor.new_session(&desk.daemon.project()).await;
    let prompt = editor.prompt(&id, &"x".repeat(9 * 1024 * 1024)).await;
    let (answer, _) = editor.answer(prompt).await;
    assert_eq!(
        answer["error"]["data"]["code"], "payload_too_large",
        "{}",
        answer["error"]
    );
    let prompt = editor.prompt(&id, "short").await;
    let (answer, _) = editor.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    editor.finish().await;
}
