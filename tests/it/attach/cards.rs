//! Questions at the screen of the interactive client.

use scorel_proto::{
    ListQuestions, ListQuestionsParams, PermissionDecision, RespondPermission,
    RespondPermissionParams,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, SeededDice, TerminalWindow};
use serde_json::json;

use super::{called, said, scene, window};
use crate::under_test::{connect, scorelctl};

/// A turn that asks whether it may write a file with this content.
async fn asking(content: &str) -> (DaemonUnderTest, ModelServer) {
    let input = json!({"path": "asked.txt", "content": content});
    let (daemon, model) = scene([called("Write", &input), said("Done.")]).await;
    // Room for a mebibyte of input.
    daemon.configure_more("contextWindow = 1000000\n[permissions]\nask = [\"Write(**)\"]\n");
    (daemon, model)
}

/// Presses a key until the card has taken it, which `taken` shows: it does so only when a person can have read it.
fn answer(window: &mut TerminalWindow, key: &str, taken: &str) {
    window.types("\u{19}");
    window.until("Esc back");
    loop {
        window.types(key);
        window.until_it(
            "the card has taken the key, or says that it is early",
            |screen| screen.contains(taken) || screen.contains("too early"),
        );
        if window.now().contains(taken) {
            return;
        }
        // A key that means nothing takes the hint away, so that the next hint belongs to the next press. Keys that wait for
        // no answer would fill the reason that follows.
        window.types("x");
        window.until("Esc back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_go_to_the_draft_until_the_card_has_them_and_was_read() {
    let (daemon, _model) = asking("one line\u{202e}").await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("write it");
    window.until("Ctrl+Y, then  y once");
    window.until("content: one line⟨202e⟩");
    window.types("yy my draft");
    window.until("❯ yy my draft");
    // A terminal has a frame in pieces, so this is waited for too.
    window.until("Ctrl+Y, then  y once");
    assert!(!daemon.project().join("asked.txt").exists());
    answer(&mut window, "y", "Done.");
    window.until("Done.");
    window.until("❯ yy my draft");
    window.until("idle");
    assert!(daemon.project().join("asked.txt").exists());
    window.types("\u{3}");
    window.until("cleared");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_why_and_an_answer_elsewhere_says_by_whom() {
    let (daemon, model) = asking("text").await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("write it");
    window.until("y once");
    answer(&mut window, "n", "No, because");
    window.types("use the other file");
    window.until("use the other file");
    window.types("\r");
    window.until("Done.");
    let requests = model.requests();
    assert!(
        requests
            .last()
            .unwrap()
            .json()
            .to_string()
            .contains("use the other file")
    );

    model.answer(called("Write", &json!({"path": "b.txt", "content": "b"})));
    model.answer(said("Done again."));
    window.until("idle");
    window.says("once more");
    window.until("Ctrl+Y, then  y once");
    window.types("\u{19}");
    window.until("Esc back");
    let client = connect(&daemon.socket()).await;
    let questions = client
        .call::<ListQuestions>(&ListQuestionsParams::default())
        .await
        .unwrap();
    let question = &questions.questions[0];
    let params = RespondPermissionParams {
        session_id: question.session_id,
        request_id: question.request.request_id,
        decision: PermissionDecision::Deny,
        reason: None,
        command_id: None,
    };
    client.call::<RespondPermission>(&params).await.unwrap();
    window.until("answered elsewhere: denied by");
    window.types("yyy");
    window.until("Done again.");
    window.until("idle");
    assert!(!daemon.project().join("b.txt").exists());
    let listed = scorelctl(&daemon, &["approve"], &[]).await;
    assert!(!String::from_utf8_lossy(&listed.stdout).contains("Write"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_input_has_to_be_read_in_the_pager() {
    let line = format!("{}\n", "some words ".repeat(60));
    // More than a mebibyte.
    let content = format!("{}THE END", line.repeat(1600));
    let (daemon, _model) = asking(&content).await;
    let mut command = super::program(&daemon, &["attach"]);
    let seen = daemon.root().join("paged");
    command.env("PAGER", format!("cat > {}", seen.display()));
    let Some(mut window) = TerminalWindow::open(&command, 80, 24) else {
        return;
    };
    window.until("idle");
    window.says("write it");
    window.until("more rows: Enter here");
    window.types("\u{19}");
    window.until("Esc back");
    // However late it comes, it answers nothing.
    window.types("y");
    window.until_it("y is refused", |screen| {
        screen.contains("too early") || screen.contains("in the pager first")
    });
    assert!(!daemon.project().join("asked.txt").exists());
    window.types("\r");
    window.until("which the pager has shown");
    assert!(std::fs::read_to_string(seen).unwrap().contains("THE END"));
    answer(&mut window, "y", "Done.");
    window.until("Done.");
    assert_eq!(
        std::fs::read_to_string(daemon.project().join("asked.txt")).unwrap(),
        content
    );
}

/// Bursts of keys, each typed at once: the first goes to the card, and the others were typed before it could be read.
#[tokio::test(flavor = "multi_thread")]
async fn no_burst_of_keys_answers_a_question_that_could_not_be_read() {
    let (daemon, _model) = asking("text").await;
    let mut dice = SeededDice::for_test("attach_bursts");
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("write it");
    // A line break directly before other keys would be a pasted one.
    window.until_it("it is sent", |screen| !screen.contains("idle"));
    // Around its appearance they are a draft.
    window.types("yyysan");
    window.until("Ctrl+Y, then  y once");
    window.until("❯ yyysan");
    for _ in 0..25 {
        let keys: String = (0..1 + dice.index(0..20))
            .map(|_| ['y', 's', 'a', 'n', 'Y'][dice.index(0..5)])
            .collect();
        window.types(&format!("\u{19}{keys}"));
        window.until("Esc back");
        window.types("\u{1b}");
        window.until("Ctrl+Y, then  y once");
    }
    let listed = scorelctl(&daemon, &["approve"], &[]).await;
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("Write"),
        "the question is open"
    );
    assert!(!daemon.project().join("asked.txt").exists());
    window.until("❯ yyysan");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_windows_that_answer_one_wins_and_the_other_says_so() {
    let (daemon, _model) = asking("text").await;
    let Some(mut one) = window(&daemon, &["attach"]) else {
        return;
    };
    one.until("idle");
    one.says("write it");
    one.until("Ctrl+Y, then  y once");
    let mut other = window(&daemon, &["attach"]).unwrap();
    other.until("Ctrl+Y, then  y once");
    for window in [&mut one, &mut other] {
        window.types("my draft");
        window.until("❯ my draft");
        window.types("\u{19}");
        window.until("Esc back");
    }
    // Neither counts before its card was there for a while.
    while [&mut one, &mut other]
        .iter_mut()
        .all(|it| it.now().contains("y once"))
    {
        one.types("y");
        other.types("y");
    }
    let told = "answered elsewhere: allowed once by another window of yours";
    for window in [&mut one, &mut other] {
        window.until("Done.");
        window.until("❯ my draft");
        window.until("idle");
    }
    let is_told = |window: &mut TerminalWindow| window.all_rows().join("\n").matches(told).count();
    assert_eq!(is_told(&mut one) + is_told(&mut other), 1, "one of them");
    assert!(daemon.project().join("asked.txt").exists());
}
