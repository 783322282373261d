//! Steps that go on although their calls or results do not fit as they are.

use scorel_testkit::ModelReply;

use super::goldens::golden;
use super::scene::{Scene, says};

/// Three results of 36 KB each in a window of 32k. The next daemon sends the same bytes.
#[tokio::test]
async fn results_that_alone_exceed_the_window() {
    golden("step", async |scene: &mut Scene| {
        scene.configure("contextWindow = 32768\n", "");
        let mut looks = ModelReply::default();
        for file in 0..3 {
            let name = format!("long-{file}.txt");
            let line = format!("{}\n", "x".repeat(1_800));
            scene.daemon.write_project_file(&name, &line.repeat(20));
            let arguments = format!("{{\"path\":\"{name}\"}}");
            looks = looks.tool_call(&format!("call_{file}"), "Read", &arguments);
        }
        scene.reply(looks.usage(6_000, 100)).reply(says("Only x."));
        scene.begin("Read them.").await;
        scene.until("context_trim").await;
        scene.completed().await;
        scene.restart().await;
        scene.turn("Are you sure?", "Yes.").await;
    })
    .await;
}

/// The arguments are those of other tools. The record keeps what the model sent, and so does the next
/// request, on each wire and after a restart.
#[tokio::test]
async fn arguments_in_other_spellings() {
    golden("spellings", async |scene: &mut Scene| {
        scene.daemon.write_project_file("notes.txt", "one\ntwo\n");
        let reads = r#"{"file_path":"notes.txt","offset":"0","limit":"2"}"#;
        let edits = r#"{"file_path":"notes.txt","old_string":"two","new_string":"2","replace_all":false}"#;
        let runs = r#"{"cmd":"cat notes.txt","description":"Shows the notes","run_in_background":"false"}"#;
        scene
            .reply(ModelReply::default().tool_call("call_1", "read", reads))
            .reply(ModelReply::default().tool_call("call_2", "Edit", edits))
            .reply(ModelReply::default().tool_call("call_3", "bash", runs))
            .reply(says("The second line is 2 now."));
        scene.begin("Write the two as a digit.").await;
        scene.completed().await;
        scene.restart().await;
        scene.turn("Are you sure?", "Yes.").await;
    })
    .await;
}
