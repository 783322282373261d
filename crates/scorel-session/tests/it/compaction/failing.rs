//! Endpoints that fail when they are asked for a summary.

use std::time::Duration;

use scorel_engine::{ProviderError, RetryPolicy};
use scorel_proto::{Anchors, ErrorCategory};

use super::{Scene, asks_for_summary, long, states};
use crate::stage::provider_error;

fn failed(status: u16) -> ProviderError {
    let (category, retry_after) = match status {
        429 => (ErrorCategory::RateLimit, Some(Duration::from_secs(120))),
        _ => (ErrorCategory::ServerError, None),
    };
    ProviderError {
        category,
        retry_after,
        status: Some(status),
        ..provider_error(true)
    }
}

/// How often a failing endpoint is asked before the turn continues without a summary.
async fn asked(status: u16) -> u32 {
    let mut scene = Scene::with(4).await;
    let mut call = scene.one_too_many().await;
    let mut asked = 0;
    while asks_for_summary(&call) {
        asked += 1;
        call.fail(failed(status)).await;
        call = scene.rig.model().await;
    }
    call.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(states(&log), ["started", "failed"], "{status}");
    let failed = log.all("compaction")[1];
    assert_eq!(failed["error"]["code"], "provider_error", "{failed}");
    asked
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_keeps_failing_is_asked_twice_as_often_as_for_an_answer() {
    assert_eq!(asked(500).await, 2 * RetryPolicy::default().max_attempts);
}

/// What a turn would wait for is too long for a summary: the turn continues, and waits itself if it must.
#[tokio::test(start_paused = true)]
async fn a_rate_limit_is_not_waited_for() {
    let begun = tokio::time::Instant::now();
    assert_eq!(asked(429).await, 2);
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_failure_leaves_the_user_a_summary_to_ask_for() {
    let mut scene = Scene::with(4).await;
    for text in [&long("last"), "short"] {
        scene.rig.begin(scene.id, text).await;
        let call = scene.rig.model().await;
        assert!(asks_for_summary(&call));
        call.fail(provider_error(false)).await;
        let call = scene.rig.model().await;
        assert!(!asks_for_summary(&call));
        call.answer_uncounted("done").await;
        assert_eq!(scene.follower.outcome().await, "completed");
    }
    scene.compact().await.expect("it begins");
    let call = scene.rig.model().await;
    assert!(asks_for_summary(&call));
    call.answer("all").await;
    scene.follower.until("compact").await;
    let log = scene.rig.check(scene.id).await;
    let expected = ["started", "failed", "started", "failed", "started"];
    assert_eq!(states(&log), expected);
}

/// One that asks to be left alone for some seconds.
fn busy() -> ProviderError {
    ProviderError {
        category: ErrorCategory::Overloaded,
        retry_after: Some(Duration::from_secs(7)),
        message: "come back later".to_owned(),
        ..provider_error(true)
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_made_again_is_announced_in_the_turn_that_it_makes_room_for() {
    let mut scene = Scene::with(4).await;
    let call = scene.one_too_many().await;
    call.fail(busy()).await;
    let retry = scene.follower.until("model_retry").await;
    assert_eq!(retry["attempt"], 1);
    assert_eq!(retry["error"]["message"], "come back later");
    let again = scene.rig.model().await;
    assert!(asks_for_summary(&again));
    let rig = &scene.rig;
    let retry = async || {
        let page = crate::pages::resync(rig, scene.id, Anchors::default(), None).await;
        page.unwrap().in_flight.unwrap().open.retry
    };
    assert!(retry().await.is_some());
    again.answer("they said yes").await;
    let call = scene.rig.model().await;
    assert!(retry().await.is_none());
    call.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    scene.rig.check(scene.id).await;
}

/// Outside of a turn there is no such event.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_made_again_outside_of_a_turn_is_the_problem_of_the_session() {
    let mut scene = Scene::with(4).await;
    scene.compact().await.expect("it begins");
    scene.rig.model().await.fail(busy()).await;
    let lane = scene.rig.lane(scene.id).await;
    let problem = || lane.session().expect("readable").problem;
    while problem().is_none() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(
        problem().as_deref(),
        Some("attempt 1 at the summary failed and is repeated: come back later")
    );
    let again = scene.rig.model().await;
    assert_eq!(problem(), None);
    again.answer("all").await;
    scene.follower.until("compact").await;
    scene.rig.check(scene.id).await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cancelled_leaves_no_problem_behind() {
    let mut scene = Scene::with(4).await;
    scene.compact().await.expect("it begins");
    scene.follower.until("compaction").await;
    scene.rig.model().await.fail(busy()).await;
    let lane = scene.rig.lane(scene.id).await;
    let problem = || lane.session().expect("readable").problem;
    while problem().is_none() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(lane.cancel(None));
    scene.follower.until("compaction").await;
    assert_eq!(problem(), None);
    scene.rig.check(scene.id).await;
}
