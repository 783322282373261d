//! Attachments from the command line.

use std::process::{Output, Stdio};

use scorel_testkit::ResponseGate;
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use super::{Desk, attached};
use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, scorelctl, send, session};

async fn ctl(desk: &Desk, arguments: &[&str]) -> Output {
    scorelctl(&desk.daemon, arguments, &[]).await
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs a command that must succeed; what it tells on standard error.
async fn told(desk: &Desk, arguments: &[&str]) -> String {
    let output = ctl(desk, arguments).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    text(&output.stderr).to_owned()
}

fn last_content(desk: &Desk) -> Value {
    desk.messages().last().unwrap()["content"].clone()
}

#[tokio::test]
async fn what_a_text_mentions_is_attached_and_said() {
    let desk = Desk::new().await;
    std::fs::create_dir(desk.daemon.project().join("src")).unwrap();
    desk.write("src/main.rs", "x".repeat(1025));
    desk.write("notes.txt", "n\n");
    std::os::unix::fs::symlink("/etc/passwd", desk.daemon.project().join("out")).unwrap();
    let typed = "look at @src/main.rs, please, (@notes.txt) not \\@notes.txt, @todo, @src, @out or a@notes.txt";
    let said = told(&desk, &["send", typed]).await;
    let expected = "attached: src/main.rs (2 KiB)\nattached: notes.txt (2 B)\n";
    assert!(said.contains(expected), "{said}");
    let sent = typed.replace('\\', "");
    let expected = json!([{"type": "text", "text": sent},
        attached("src/main.rs", &"x".repeat(1025)), attached("notes.txt", "n\n")]);
    assert_eq!(last_content(&desk), expected);
    let shown = ctl(&desk, &["show"]).await;
    let shown = text(&shown.stdout);
    assert!(shown.contains("[attached: src/main.rs (2 KiB)]"), "{shown}");
    assert!(!shown.contains("xxxx"), "{shown}");
    let json = ctl(&desk, &["--json", "send", "--detach", "@notes.txt"]).await;
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["attached"], json!([{"path": "notes.txt", "size": 2}]));
}

#[tokio::test]
async fn files_are_attached_from_the_working_directory_and_each_once() {
    let desk = Desk::new().await;
    let dir = desk.daemon.project().join("src");
    std::fs::create_dir(&dir).unwrap();
    desk.write("src/a b.rs", "a\n");
    desk.write("notes.txt", "n\n");
    let output = Command::new(SCORELCTL)
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", desk.daemon.home())
        .current_dir(&dir)
        .args([
            "send",
            "--session",
            &desk.id.to_string(),
            "--file",
            "a b.rs",
        ])
        .args([
            "--file",
            "../notes.txt",
            "--file",
            "./a b.rs",
            "and @notes.txt",
        ])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, output).await.unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    let expected = "attached: src/a b.rs (2 B)\nattached: notes.txt (2 B)\n";
    assert!(text(&output.stderr).contains(expected), "{output:?}");
    let content = last_content(&desk);
    assert_eq!(content[1], attached("src/a b.rs", "a\n"));
    assert_eq!(content[2], attached("notes.txt", "n\n"));
    assert_eq!(content.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_refused_file_is_an_error_and_nothing_is_sent() {
    let desk = Desk::new().await;
    desk.write("binary", b"\0\x01");
    for (arguments, kind) in [
        (&["send", "--file", "missing.txt", "look"][..], "not_found"),
        (&["send", "look at @binary"], "binary"),
        (&["steer", "--file", "/etc/passwd", "look"], "outside"),
    ] {
        let output = ctl(&desk, &[&["--json"][..], arguments].concat()).await;
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        let error = &error["error"];
        assert_eq!(error["code"], "attachment_refused", "{error}");
        assert_eq!(error["details"]["kind"], kind, "{error}");
        assert!(error["hint"].is_string(), "{error}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    assert!(desk.messages().is_empty());
}

#[tokio::test]
async fn in_what_is_piped_in_an_at_sign_is_text() {
    let desk = Desk::new().await;
    desk.write("a.txt", "a\n");
    desk.write("b.txt", "b\n");
    let mut child = Command::new(SCORELCTL)
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", desk.daemon.home())
        .current_dir(desk.daemon.project())
        .args(["send", "--file", "b.txt", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"see @a.txt and \\@a.txt").await.unwrap();
    drop(input);
    let output = timeout(PATIENCE, child.wait_with_output()).await;
    let output = output.unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    let expected =
        json!([{"type": "text", "text": "see @a.txt and \\@a.txt"}, attached("b.txt", "b\n")]);
    assert_eq!(last_content(&desk), expected);
}

/// Attachments stay with a message that is sent again or edited, as they were then.
#[tokio::test]
async fn sending_again_keeps_what_was_attached() {
    let desk = Desk::new().await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        desk.write(name, "first\n");
    }
    told(&desk, &["send", "read @a.txt and @b.txt"]).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        desk.write(name, "second\n");
    }
    let said = told(&desk, &["resend"]).await;
    let kept = "kept as it was attached: a.txt (6 B)\nkept as it was attached: b.txt (6 B)\n";
    assert!(said.contains(kept), "{said}");
    let (a, b) = (attached("a.txt", "first\n"), attached("b.txt", "first\n"));
    let same = json!([{"type": "text", "text": "read @a.txt and @b.txt"}, a, b]);
    assert_eq!(last_content(&desk), same);
    let said = told(&desk, &["resend", "--file", "c.txt", "only @b.txt"]).await;
    let files =
        "attached: c.txt (7 B)\nattached: b.txt (7 B)\nkept as it was attached: a.txt (6 B)\n";
    assert!(said.contains(files), "{said}");
    let text = json!({"type": "text", "text": "only @b.txt"});
    let (b, c) = (attached("b.txt", "second\n"), attached("c.txt", "second\n"));
    assert_eq!(last_content(&desk), json!([text, a, c, b]));
}

#[tokio::test]
async fn a_queued_message_shows_its_files_and_keeps_them_when_it_is_edited() {
    let desk = Desk::new().await;
    let gate = ResponseGate::default();
    let waits = ScriptedChat::default().wait(&gate);
    desk.model.answer(waits.text("late").finish("stop"));
    send(&desk.client, desk.id, "begin").await;
    gate.reached().await;
    desk.write("a.txt", "a\n");
    let said = told(&desk, &["steer", "see @a.txt"]).await;
    assert!(said.contains("attached: a.txt (2 B)\n"), "{said}");
    let said = told(&desk, &["queue", "edit", "1", "obey it"]).await;
    assert!(
        said.contains("kept as it was attached: a.txt (2 B)\n"),
        "{said}"
    );
    let listed = ctl(&desk, &["queue"]).await;
    let listed = text(&listed.stdout);
    assert!(
        listed.contains("obey it [attached: a.txt (2 B)]"),
        "{listed}"
    );
    let queue = session(&desk.client, desk.id).await.queue;
    let content = serde_json::to_value(&queue[0].content).unwrap();
    assert_eq!(content[1], attached("a.txt", "a\n"));
}
