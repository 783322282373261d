//! What new users do first, and what it says to them.

use super::{program, said, scene, window};
use scorel_testkit::{DaemonUnderTest, TerminalWindow};

use crate::under_test::SCORELD;

#[tokio::test(flavor = "multi_thread")]
async fn words_for_other_programs_are_not_sent_to_the_model() {
    let (daemon, model) = scene([said("Never.")]).await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("exit");
    window.until("Ctrl+D detaches");
    window.says(":wq");
    window.until_it("said twice", |screen| {
        screen.matches("not sent to the agent").count() == 2
    });
    window.says("/modle x");
    window.until("did you mean /model?");
    // The text stays. A terminal has a frame in pieces, so this is waited for too.
    window.until("❯ /modle x");
    assert_eq!(model.remaining(), 1, "nothing was sent");
    window.types("\u{3}");
    window.until("cleared");
    window.types("\u{3}");
    window.until("Ctrl+C again detaches");
    window.types("\u{3}");
    assert_eq!(window.ended(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_it_says_how_to_set_one_up() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.spawn().await;
    let Some(mut window) = TerminalWindow::open(&program(&daemon, &[]), 80, 24) else {
        return;
    };
    window.until("scorelctl init");
    window.until("idle");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_and_an_archived_session_end_with_a_remedy() {
    let refused =
        scorel_testkit::ScriptedResponse::json(401, r#"{"error": {"message": "bad key"}}"#);
    let (daemon, _model) = scene([refused]).await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("hello");
    window.until("status 401");
    window.until("hint");
    window.says("/archive");
    window.until("archived: lists leave it out");
    window.says("and now?");
    window.until("/archive takes it out");
    window.until("❯ and now?");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_changes_nothing_at_the_terminal() {
    let hostile = "start \u{1b}]0;title\u{7}\u{1b}]52;c;aGk=\u{7}\u{1b}[5n\u{1b}[?1049h\u{1b}[?25l\u{9b}31m\u{1b}P+q\u{1b}\\ \u{202e}end";
    let (daemon, _model) = scene([said(hostile)]).await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("go");
    window.until("⟨202e⟩end");
    window.until("idle");
    let written = String::from_utf8_lossy(window.written()).into_owned();
    for sequence in [
        "\u{1b}]0;",
        "\u{1b}]52;",
        "\u{1b}[?1049h",
        "\u{9b}31m",
        "\u{1b}P",
    ] {
        assert!(!written.contains(sequence), "{sequence:?}");
    }
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}
