//! The interactive client at a terminal, over a real daemon and a scripted model.

mod cards;
mod files;
mod fold;
mod looks;
mod minute;
mod mistakes;
mod plain;
mod queue;
mod waits;

use std::process::Command;

use scorel_testkit::{
    DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse, TerminalWindow,
};

use crate::under_test::{SCORELCTL, SCORELD};

/// A daemon with a model that gives these answers, one a call.
async fn scene(
    answers: impl IntoIterator<Item = ScriptedResponse>,
) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    for answer in answers {
        model.answer(answer);
    }
    // Titles and the like.
    model.fallback(said("A title"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    (daemon, model)
}

fn said(text: &str) -> ScriptedResponse {
    ScriptedChat::default().text(text).finish("stop").into()
}

fn called(name: &str, input: &serde_json::Value) -> ScriptedResponse {
    let call = ScriptedChat::default().tool_call("call_1", name, &input.to_string());
    call.finish("tool_calls").into()
}

/// The program in the daemon's project.
fn program(daemon: &DaemonUnderTest, arguments: &[&str]) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        .args(arguments)
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .env("HOME", daemon.root())
        .current_dir(daemon.project());
    command
}

fn window(daemon: &DaemonUnderTest, arguments: &[&str]) -> Option<TerminalWindow> {
    TerminalWindow::open(&program(daemon, arguments), 80, 24)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_is_answered_and_the_session_stays_when_its_user_goes() {
    let (daemon, _model) = scene([said("It shows **four** things.")]).await;
    let Some(mut window) = window(&daemon, &[]) else {
        return;
    };
    window.until("idle");
    window.says("What does this show?");
    window.until("It shows four things.");
    window.until("idle");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
    assert!(
        window
            .now()
            .contains("detached; `scorelctl attach --session")
    );
    let rows = window.all_rows();
    let shown = rows
        .iter()
        .filter(|row| row.contains("It shows four things."));
    assert_eq!(shown.count(), 1, "{rows:?}");

    let Some(mut again) = self::window(&daemon, &["attach"]) else {
        return;
    };
    again.until("❯ What does this show?");
    again.until("It shows four things.");
    again.types("half a sentence");
    again.until("half a sentence");
    again.types("\u{3}");
    again.until("cleared");
    again.types("\u{1b}[A");
    again.until("half a sentence");
    again.types("\u{3}\u{3}");
    again.types("\u{3}");
    assert_eq!(again.ended(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_the_daemon_loses_and_doubles_nothing() {
    let (mut daemon, _model) = scene([said("First answer."), said("Second answer.")]).await;
    let Some(mut window) = window(&daemon, &["attach"]) else {
        return;
    };
    window.until("idle");
    window.says("one");
    window.until("First answer.");
    daemon.kill().await;
    window.until("reconnecting");
    daemon.spawn().await;
    window.until("live");
    window.says("two");
    window.until("Second answer.");
    window.until("idle");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
    let rows = window.all_rows().join("\n");
    for text in ["First answer.", "Second answer.", "❯ one", "❯ two"] {
        assert_eq!(rows.matches(text).count(), 1, "{text}: {rows}");
    }
}
