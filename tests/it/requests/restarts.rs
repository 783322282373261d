//! Turns that go on after the daemon was killed.

use scorel_proto::{OnRestart, WhileRunning};
use scorel_testkit::ResponseGate;

use super::goldens::golden;
use super::scene::{Scene, calls, reached, reads, says};

impl Scene {
    /// Lets turns go on after a restart.
    pub(super) async fn resumes(&self) {
        let resume = Some(OnRestart::Resume);
        self.update(|params| params.on_restart = resume).await;
    }
}

/// The call is made again, as it was; with the steer that waited meanwhile.
#[tokio::test]
async fn killed_in_a_model_call() {
    golden("kill_in_model_call", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene.resumes().await;
        scene
            .reply(reads("call_1", "notes.txt"))
            .reply(says("never").hold(&gate))
            .reply(says("42."));
        scene.begin("What is the answer?").await;
        reached(&gate).await;
        scene.queue("Be brief.", WhileRunning::Steer).await;
        scene.kill().await;
        scene.completed().await;
        scene.turn("Thank you.", "You are welcome.").await;
    })
    .await;
}

/// The text before the kill is kept.
#[tokio::test]
async fn killed_after_some_text() {
    golden("kill_after_text", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene.resumes().await;
        scene.reply(says("It is ").stall(&gate)).reply(says("42."));
        scene.begin("What is the answer?").await;
        reached(&gate).await;
        scene.until("text_delta").await;
        scene.kill().await;
        scene.completed().await;
    })
    .await;
}

/// The call that ran is not repeated.
#[tokio::test]
async fn killed_in_a_command() {
    golden("kill_in_command", async |scene: &mut Scene| {
        scene.configure("", "[permissions]\nmode = \"full\"\n");
        scene.resumes().await;
        let command = r#"{"command":"echo begun; exec sleep 600"}"#;
        scene
            .reply(calls("call_1", "Bash", command))
            .reply(says("It was interrupted."));
        scene.begin("Run it.").await;
        scene.until("tool_execution_update").await;
        scene.kill().await;
        scene.completed().await;
    })
    .await;
}
