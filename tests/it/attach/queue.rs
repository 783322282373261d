//! Messages that wait, at the screen of the interactive client.

use scorel_testkit::{ResponseGate, ScriptedChat};

use super::{said, scene, window};
use crate::under_test::scorelctl;

#[tokio::test(flavor = "multi_thread")]
async fn a_queued_message_is_shown_edited_and_removed_by_anyone() {
    let gate = ResponseGate::new();
    let first = ScriptedChat::default()
        .text("Thinking")
        .wait(&gate)
        .text(" is over.")
        .finish("stop");
    let (daemon, model) = scene([first.into(), said("Second.")]).await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("begin");
    window.until("Thinking");
    window.says("then the tests");
    window.until("next follow-up: then the tests");
    window.until("↑ edits");
    window.types("\u{1b}[A");
    window.until("editing a queued message");
    window.types(", all of them");
    window.until("then the tests, all of them");
    window.types("\r");
    window.until("is changed");
    window.until("follow-up: then the tests, all of them");

    // A conflict keeps the text.
    window.types("\u{1b}[A");
    window.until("editing a queued message");
    window.types(" twice");
    window.until("all of them twice");
    let removed = scorelctl(&daemon, &["queue", "remove", "1"], &[]).await;
    assert!(removed.status.success());
    window.until("no longer in the queue");
    window.until("❯ then the tests, all of them twice");
    window.types("\u{3}");
    window.until("cleared");
    gate.open();
    window.until("Thinking is over.");
    window.until("idle");
    assert_eq!(model.remaining(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn escape_twice_cancels_the_turn_that_runs() {
    let gate = ResponseGate::new();
    let first = ScriptedChat::default()
        .text("Working")
        .wait(&gate)
        .finish("stop");
    let (daemon, _model) = scene([first.into()]).await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("begin");
    window.until("Working");
    window.types("\u{1b}");
    window.until("Esc again cancels");
    window.types("\u{1b}");
    window.until("idle");
    window.until("cancelled");
    gate.open();
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}
