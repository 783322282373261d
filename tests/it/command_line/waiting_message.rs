//! A message that waits in the queue.

use std::process::Stdio;

use scorel_testkit::{ModelServer, ResponseGate, ScriptedChat};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, daemon, output_of, scorelctl};

#[tokio::test]
async fn a_send_says_that_its_message_waits_and_that_the_queue_is_paused() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(ScriptedChat::default().text("half").wait(&gate));
    model.fallback(ScriptedChat::default().text("Done.").finish("stop"));
    let daemon = daemon(&model, "").await;
    let first = scorelctl(&daemon, &["send", "--detach", "one"], &[]).await;
    assert!(first.status.success(), "{first:?}");
    gate.reached().await;

    let mut send = Command::new(SCORELCTL)
        .env_clear()
        .env("SCOREL_HOME", daemon.home())
        .current_dir(daemon.project())
        .args(["send", "two"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut notes = BufReader::new(send.stderr.take().unwrap()).lines();
    let mut note = async || {
        let line = timeout(PATIENCE, notes.next_line()).await;
        line.expect("a note").unwrap().expect("a note")
    };
    assert_eq!(note().await, "queued as a follow-up, number 1");
    let cancelled = scorelctl(&daemon, &["cancel"], &[]).await;
    assert!(cancelled.status.success(), "{cancelled:?}");
    let paused = note().await;
    assert!(
        paused.contains("the queue is paused") && paused.contains(" resume`"),
        "{paused}"
    );
    let resumed = scorelctl(&daemon, &["queue", "resume"], &[]).await;
    assert!(resumed.status.success(), "{resumed:?}");
    let ended = output_of(send).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stdout, b"Done.\n");
}
