//! Endpoints that fail when they are asked for a summary.

use std::time::Duration;

use scorel_proto::ErrorCategory;
use scorel_runtime::{ProviderError, RetryPolicy};

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

/// How often a failing endpoint is asked before the turn goes on without a summary.
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

/// What a turn would wait for is too long for a summary: the turn goes on, and waits itself if it must.
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
