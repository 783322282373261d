//! The interactive client and its terminal: resizes, pastes, drafts, restored modes, a slow terminal.

mod drafts;
mod hostile;
mod modes;
mod numbered;
mod pastes;
mod resizes;
mod slow;
mod tmux;
mod xterm;

use std::process::Command;
use std::time::{Duration, Instant};

use scorel_testkit::{
    DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse, TerminalWindow,
};
use serde_json::Value;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD};

/// A daemon with a model that gives this answer.
async fn scene(answer: ScriptedResponse) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    model.answer(answer);
    // Titles and the like.
    model.fallback(ScriptedChat::default().text("A title").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    (daemon, model)
}

/// The program in the daemon's project. It starts no daemon, for a test may have ended its own.
fn attach(daemon: &DaemonUnderTest) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        .args(["--no-start", "attach"])
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .env("HOME", daemon.root())
        .current_dir(daemon.project());
    command
}

fn said(text: &str) -> ScriptedResponse {
    ScriptedChat::default().text(text).finish("stop").into()
}

/// Presses Enter until the text is not in the composer any more: on a busy machine one that comes directly after other
/// keys is a line break.
async fn send(window: &mut TerminalWindow, draft: &str) {
    let is_there = |screen: &str| {
        let mut composed = screen.lines().skip_while(|row| !row.starts_with("────"));
        composed.any(|row| row.contains(draft))
    };
    let patience = Instant::now() + PATIENCE;
    while is_there(&window.now()) {
        assert!(Instant::now() < patience, "{}", window.now());
        window.types("\r");
        let until = Instant::now() + Duration::from_secs(1);
        while is_there(&window.now()) && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The texts of the user's messages in the only session, without line breaks at the end.
fn messages(daemon: &DaemonUnderTest) -> Vec<String> {
    let sessions = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
    let names = sessions.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let events = names.flat_map(|name| daemon.log(&name));
    let is_users = |event: &Value| event["message"]["role"] == "user";
    let users = events.filter(|event| is_users(event));
    let text = |event: Value| match &event["message"]["content"] {
        Value::String(text) => text.clone(),
        blocks => blocks[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    users.map(text).map(|it| it.trim_end().to_owned()).collect()
}
