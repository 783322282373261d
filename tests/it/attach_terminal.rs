//! The interactive client and its terminal: resizes, pastes, drafts, restored modes, a slow terminal.

mod resizes;
mod tmux;

use std::process::Command;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse};

use crate::under_test::{SCORELCTL, SCORELD};

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

/// The program in the daemon's project.
fn attach(daemon: &DaemonUnderTest) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        .arg("attach")
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .env("HOME", daemon.root())
        .current_dir(daemon.project());
    command
}
