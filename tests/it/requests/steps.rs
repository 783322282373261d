//! A step whose results are too large for the window.

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
