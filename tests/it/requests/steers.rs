//! Messages that are sent while a turn runs.

use scorel_proto::{AttachmentPath, SendMessage, SendMessageParams, WhileRunning};
use scorel_testkit::{ModelReply, ResponseGate};

use super::goldens::golden;
use super::scene::{Scene, reached, reads, says};
use crate::under_test::message;

#[tokio::test]
async fn plain() {
    golden("plain", async |scene: &mut Scene| {
        scene
            .reply(
                ModelReply::default()
                    .thinking("Where could it be?")
                    .text("I look around.")
                    .tool_call("call_1", "Glob", r#"{"pattern":"*"}"#)
                    .tool_call("call_2", "Read", r#"{"path":"notes.txt"}"#),
            )
            .reply(reads("call_3", "missing.txt"))
            .reply(says("The answer is 42.").thinking("It is there."));
        scene.begin("What is the answer?").await;
        scene.completed().await;
        scene.turn("Thank you.", "You are welcome.").await;
    })
    .await;
}

#[tokio::test]
async fn a_steer_after_a_result() {
    golden("steer_after_result", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene
            .reply(reads("call_1", "notes.txt").stall(&gate))
            .reply(says("42, and I use tabs."));
        scene.begin("What is the answer?").await;
        reached(&gate).await;
        scene.queue("Use tabs.", WhileRunning::Steer).await;
        scene.queue("And be brief.", WhileRunning::Steer).await;
        gate.open();
        scene.completed().await;
        scene.turn("Thank you.", "You are welcome.").await;
    })
    .await;
}

#[tokio::test]
async fn a_steer_after_an_answer() {
    golden("steer_after_answer", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene
            .reply(says("I use spaces.").stall(&gate))
            .reply(says("Then tabs."));
        scene.begin("Write it.").await;
        reached(&gate).await;
        scene.queue("Use tabs.", WhileRunning::Steer).await;
        gate.open();
        scene.completed().await;
    })
    .await;
}

#[tokio::test]
async fn a_follow_up() {
    golden("follow_up", async |scene: &mut Scene| {
        let gate = ResponseGate::default();
        scene
            .reply(reads("call_1", "notes.txt").stall(&gate))
            .reply(says("42."))
            .reply(says("The tests pass."));
        scene.begin("What is the answer?").await;
        reached(&gate).await;
        scene
            .queue("Then run the tests.", WhileRunning::FollowUp)
            .await;
        gate.open();
        scene.completed().await;
        scene.completed().await;
    })
    .await;
}

/// Text and a picture, with a message that starts a turn and with a steer.
#[tokio::test]
async fn attached_files() {
    golden("attachments", async |scene: &mut Scene| {
        let picture = include_bytes!("../../../crates/scorel-runner/tests/fixtures/pixel.png");
        std::fs::write(scene.daemon.project().join("shot.png"), picture).unwrap();
        let gate = ResponseGate::default();
        scene
            .reply(reads("call_1", "notes.txt").stall(&gate))
            .reply(says("42, as in both."));
        let attach = async |text: &str, while_running| {
            let file = |path: &str| AttachmentPath {
                path: path.to_owned(),
            };
            let params = SendMessageParams {
                attachments: vec![file("notes.txt"), file("shot.png")],
                while_running,
                ..message(scene.session, text)
            };
            scene.client.call::<SendMessage>(&params).await.unwrap();
        };
        attach("What is the answer?", None).await;
        reached(&gate).await;
        attach("And here?", Some(WhileRunning::Steer)).await;
        gate.open();
        scene.completed().await;
        scene.turn("Thank you.", "You are welcome.").await;
    })
    .await;
}
