//! Summaries by another model than the session's.

use super::{Scene, asks_for_summary, last_text, outline};
use crate::stage::{ModelCall, provider_error};

/// The call for a summary, in a conversation that has a model with this window for such work.
async fn one_too_many(window: u64) -> (Scene, ModelCall) {
    let scene = Scene::with(4).await;
    let auxiliary = scene.rig.script.model_named("small", window);
    scene
        .rig
        .plan(|plan| plan.compaction.auxiliary = Some(auxiliary));
    let call = scene.one_too_many().await;
    (scene, call)
}

#[tokio::test(start_paused = true)]
async fn another_model_reads_the_conversation_as_a_quotation() {
    let (mut scene, call) = one_too_many(100_000).await;
    assert!(call.request.tools.is_empty());
    assert_eq!(call.request.messages.len(), 1);
    let quoted = last_text(&call).expect("a user's message");
    assert!(
        quoted.contains("[user]\n0 xxx") && quoted.contains("[agent]\nyes"),
        "{quoted}"
    );
    assert!(!quoted.contains("last xxx"), "the question that is open");
    call.answer("all").await;
    scene.rig.model().await.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("compaction")["model"], "script:small");
    assert_eq!(log.only("compact")["model"], "script:small");
}

#[tokio::test(start_paused = true)]
async fn one_call_of_the_sessions_model_is_better_than_many_of_a_smaller_one() {
    let (mut scene, call) = one_too_many(12_000).await;
    assert!(asks_for_summary(&call));
    assert_eq!(outline(&call.request.messages)[..2], ["0", "yes"]);
    assert_eq!(call.request.tools.len(), 3, "the request that it knows");
    call.answer("all").await;
    scene.rig.model().await.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("compaction")["model"], "script:script-1");
    assert_eq!(log.only("compact")["model"], "script:script-1");
}

#[tokio::test(start_paused = true)]
async fn the_sessions_model_takes_the_place_of_one_that_fails() {
    let (mut scene, call) = one_too_many(100_000).await;
    call.fail(provider_error(false)).await;
    let again = scene.rig.model().await;
    assert!(asks_for_summary(&again));
    assert_eq!(again.request.tools.len(), 3);
    assert_eq!(outline(&again.request.messages)[0], "0");
    again.answer("all").await;
    scene.rig.model().await.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("compact")["model"], "script:script-1");
}
