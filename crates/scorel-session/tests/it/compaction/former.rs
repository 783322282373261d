//! Summaries after the user has changed to a model with a smaller window.

use scorel_proto::SessionChanges;
use scorel_session::UpdateRequest;

use super::{Scene, WINDOW, asks_for_summary, outline, plain};
use crate::stage::{ModelCall, provider_error};

/// A conversation of eight questions, which `script-1` answered, after a change to a model whose window is a
/// fifth of that one's and smaller than the conversation.
async fn after_change(former: bool) -> Scene {
    let mut scene = Scene::with(0).await;
    scene.rig.plan(|plan| plan.window = None);
    scene.ask(8).await;
    let model = scene.rig.script.model_named("script-1", 100_000);
    scene.rig.plan(|plan| {
        plan.window = Some(WINDOW);
        plan.former = former.then_some(model);
    });
    let changes = SessionChanges {
        model: Some("small".to_owned()),
        ..SessionChanges::default()
    };
    let lane = scene.rig.lane(scene.id).await;
    lane.mutate(UpdateRequest {
        command: plain(),
        changes,
    })
    .await
    .expect("changed");
    scene
}

fn is_known_request(call: &ModelCall) -> bool {
    asks_for_summary(call)
        && call.request.tools.len() == 3
        && outline(&call.request.messages)[..2] == ["0", "yes"]
}

/// Answers the parts of a quotation. Returns how many there were, and the call that followed.
async fn quoted(scene: &Scene, mut call: ModelCall) -> (usize, ModelCall) {
    let mut parts = 0;
    while asks_for_summary(&call) {
        assert!(call.request.tools.is_empty());
        assert_eq!(call.request.messages.len(), 1);
        parts += 1;
        call.answer("all").await;
        call = scene.rig.model().await;
    }
    (parts, call)
}

#[tokio::test(start_paused = true)]
async fn the_model_that_knows_the_conversation_summarises_it_in_one_call() {
    let mut scene = after_change(true).await;
    let call = scene.one_too_many().await;
    assert!(is_known_request(&call));
    call.answer("all").await;
    let call = scene.rig.model().await;
    assert!(!asks_for_summary(&call));
    call.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("compaction")["model"], "script:script-1");
    assert_eq!(log.only("compact")["model"], "script:script-1");
    let answers = log.all("assistant");
    let newest = answers.last().expect("an answer");
    assert_eq!(newest["message"]["model"], "script:small");
}

#[tokio::test(start_paused = true)]
async fn a_compaction_by_hand_asks_the_model_that_knows_the_conversation() {
    let mut scene = after_change(true).await;
    scene.compact().await.expect("it begins");
    let call = scene.rig.model().await;
    assert!(is_known_request(&call));
    call.answer("all").await;
    scene.follower.until("compact").await;
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("compaction")["model"], "script:script-1");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_be_asked_any_more_is_replaced_by_the_sessions() {
    for (former, asked) in [(true, "script:script-1"), (false, "script:small")] {
        let mut scene = after_change(former).await;
        let mut call = scene.one_too_many().await;
        if former {
            call.fail(provider_error(false)).await;
            call = scene.rig.model().await;
        }
        let (parts, call) = quoted(&scene, call).await;
        assert!(parts > 1, "{parts} parts");
        call.answer("done").await;
        assert_eq!(scene.follower.outcome().await, "completed");
        let log = scene.rig.check(scene.id).await;
        assert_eq!(log.only("compaction")["model"], asked);
        assert_eq!(log.only("compact")["model"], "script:small");
    }
}
