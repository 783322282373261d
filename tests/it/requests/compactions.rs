//! Conversations that get too long: shortened results, summaries, and the calls after them.

use scorel_proto::{Compact, CompactParams};
use scorel_testkit::ModelReply;
use serde_json::Value;

use super::goldens::golden;
use super::scene::{Scene, reads, says};

const KEEP_NOTHING: &str = "[compaction]\nkeepTokens = 0\n";

const SUMMARY: &str = "## Goal\nThe answer.\n\n## Next step\nNone.";

impl Scene {
    /// Makes a summary.
    pub(super) async fn compact(&mut self, instructions: Option<&str>) -> Value {
        let params = CompactParams {
            session_id: self.session,
            instructions: instructions.map(str::to_owned),
            command_id: None,
        };
        self.client.call::<Compact>(&params).await.unwrap();
        let made = self.compaction().await;
        assert_eq!(made["type"], "compact", "{made}");
        made
    }

    async fn two_answers(&mut self) {
        self.reply(reads("call_1", "notes.txt"))
            .reply(says("42.").thinking("There it is."));
        self.begin("What is the answer?").await;
        self.completed().await;
        self.turn("Are you sure?", "Yes.").await;
    }

    /// A file of 40,000 characters: about 11,000 tokens.
    pub(super) fn long_file(&self, name: &str) {
        let line = format!("{}\n", "x".repeat(8_000));
        self.daemon.write_project_file(name, &line.repeat(5));
    }
}

/// Results older than the newest 40,000 tokens are shortened; the call after it.
#[tokio::test]
async fn a_trim() {
    golden("trim", async |scene: &mut Scene| {
        // The budget is 80,000 tokens.
        scene.configure("contextWindow = 100000\n", "");
        let mut looks = ModelReply::default().thinking("All of them.");
        for file in 0..5 {
            let name = format!("long-{file}.txt");
            scene.long_file(&name);
            let arguments = format!("{{\"path\":\"{name}\"}}");
            looks = looks.tool_call(&format!("call_{file}"), "Read", &arguments);
        }
        scene.reply(looks.usage(6_000, 100));
        scene.reply(says("Only x.").usage(74_000, 10));
        scene.begin("Read them.").await;
        scene.completed().await;
        scene.reply(reads("call_again", "long-0.txt").usage(74_100, 100));
        scene.reply(says("Still only x.").usage(40_000, 10));
        scene.begin("Again.").await;
        scene.until("context_trim").await;
        scene.completed().await;
    })
    .await;
}

/// The session's model gets the request that it knows, and one message more.
#[tokio::test]
async fn a_summary_of_the_model_of_the_session() {
    golden("compaction", async |scene: &mut Scene| {
        scene.configure("", KEEP_NOTHING);
        scene.two_answers().await;
        scene.reply(says(SUMMARY));
        scene.compact(Some("Name the files.")).await;
        scene.turn("And now?", "Done.").await;
    })
    .await;
}

/// Another model gets the conversation as quoted text.
#[tokio::test]
async fn a_summary_of_the_auxiliary_model() {
    golden("compaction_auxiliary", async |scene: &mut Scene| {
        scene.two_answers().await;
        // From here on only: with it, the first turn would get a title.
        let auxiliary = format!("[auxiliary]\nmodel = \"{}\"\n", scene.model.auxiliary);
        scene.configure("", &format!("{KEEP_NOTHING}{auxiliary}"));
        scene.reply(says(SUMMARY));
        scene.compact(None).await;
        scene.turn("And now?", "Done.").await;
    })
    .await;
}

/// Of the turn that runs, its question and its last step stay.
#[tokio::test]
async fn a_summary_within_a_turn() {
    golden("compaction_in_turn", async |scene: &mut Scene| {
        scene.configure("contextWindow = 100000\n", KEEP_NOTHING);
        scene.two_answers().await;
        scene
            .reply(reads("call_2", "notes.txt"))
            .reply(reads("call_3", "notes.txt").usage(90_000, 100))
            .reply(says(SUMMARY))
            .reply(says("42 it is."));
        scene.begin("Look again.").await;
        scene.completed().await;
        scene.turn("And now?", "Done.").await;
    })
    .await;
}

#[tokio::test]
async fn an_overflow_and_the_retry() {
    golden("overflow", async |scene: &mut Scene| {
        scene.configure("", KEEP_NOTHING);
        scene.two_answers().await;
        scene.endpoint.respond(scene.model.overflow());
        scene.reply(says(SUMMARY)).reply(says("It says so."));
        scene.begin("And why?").await;
        scene.completed().await;
    })
    .await;
}
