//! How turns end besides by completing or being cancelled.

use std::time::Duration;

use scorel_engine::{ProviderError, TurnLimits};
use scorel_proto::{SessionId, StopReason, TurnError};
use serde_json::Value;

use crate::log::text;
use crate::rig::Rig;
use crate::script::{Failure, Plan};
use crate::stage::provider_error;

async fn rig(change: impl FnOnce(&mut Plan)) -> (Rig, SessionId) {
    let rig = Rig::new();
    rig.plan(change);
    let id = rig.session().await;
    (rig, id)
}

/// The only outcome of a session's log.
async fn outcome(rig: &Rig, id: SessionId) -> Value {
    rig.check(id).await.only("turn_outcome").clone()
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_at_its_limit_of_steps() {
    let (rig, id) = rig(|plan| plan.limits.max_steps = 2).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go on and on").await;
    for call in ["c1", "c2"] {
        rig.model().await.tools(&[(call, "look")]).await;
        rig.tool().await.end("seen");
    }
    assert_eq!(follower.outcome().await, "limit");
    let outcome = outcome(&rig, id).await;
    assert_eq!(
        (outcome["steps"].as_u64(), text(&outcome["error"], "code")),
        (Some(2), "steps")
    );
    assert_eq!(outcome["usage"]["inputTokens"], 20);
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_at_its_limit_of_tokens_without_running_tools() {
    let (rig, id) = rig(|plan| plan.limits.max_tokens = 15).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "expensive").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    assert_eq!(follower.outcome().await, "limit");
    let log = rig.check(id).await;
    assert_eq!(log.all("tool_started").len(), 0);
    assert_eq!(
        log.only("tool_result")["message"]["content"][0]["isError"],
        true
    );
    assert_eq!(text(&log.only("turn_outcome")["error"], "code"), "tokens");
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_when_its_time_is_up_and_keeps_what_it_has() {
    let limits = TurnLimits {
        max_duration: Duration::from_secs(60),
        ..TurnLimits::default()
    };
    let (rig, id) = rig(|plan| plan.limits = limits).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "slowly").await;
    let call = rig.model().await;
    call.text("so").await;
    call.ended().await;
    assert_eq!(follower.outcome().await, "limit");
    let log = rig.check(id).await;
    assert_eq!(log.only("assistant")["message"]["partial"], true);
    assert_eq!(text(&log.only("turn_outcome")["error"], "code"), "time");
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_made_again_while_nothing_was_shown() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    for _ in 0..3 {
        rig.model().await.fail(provider_error(true)).await;
    }
    rig.model().await.answer("at last").await;
    assert_eq!(follower.outcome().await, "completed");
    let starts = follower
        .names()
        .iter()
        .filter(|name| *name == "message_start")
        .count();
    assert_eq!(starts, 1);
    outcome(&rig, id).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_after_it_has_shown_text_is_not_made_again() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.text("half").await;
    call.fail(provider_error(true)).await;
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    let message = &log.only("assistant")["message"];
    assert_eq!(
        (message["partial"].as_bool(), text(message, "stopReason")),
        (Some(true), "error")
    );
    let error = &log.only("turn_outcome")["error"];
    assert_eq!(
        (text(error, "code"), text(error, "message")),
        ("overloaded", "too many people")
    );
    assert_eq!(
        follower
            .names()
            .iter()
            .filter(|name| *name == "message_cancelled")
            .count(),
        0
    );
}

#[tokio::test(start_paused = true)]
async fn calls_are_not_made_again_for_ever() {
    let (rig, id) = rig(|plan| plan.retry.max_attempts = 3).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    for _ in 0..3 {
        rig.model().await.fail(provider_error(true)).await;
    }
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    assert_eq!(
        log.outline(),
        ["user", "instruction_snapshot", "turn_outcome"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_is_recorded_and_the_turn_goes_on_after_it() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let wait = Duration::from_secs(1800);
    let error = ProviderError {
        retry_after: Some(wait),
        ..provider_error(true)
    };
    let asked = tokio::time::Instant::now();
    rig.model().await.fail(error).await;
    let call = rig.model().await;
    assert!(asked.elapsed() >= wait);
    call.answer("patience").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    assert_eq!(log.outline()[2..4], ["turn_waiting", "turn_resumed"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_has_no_room_ends_the_turn_at_a_limit() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.text("too long").await;
    call.tool_begins(1, "c1", "write", "{\"x\"").await;
    call.done(StopReason::MaxTokens).await;
    assert_eq!(follower.outcome().await, "limit");
    let log = rig.check(id).await;
    assert_eq!(log.all("tool_started").len(), 0);
    assert_eq!(
        text(&log.only("turn_outcome")["error"], "code"),
        "max_tokens"
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_an_error() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.text("no").await;
    call.done(StopReason::Refusal).await;
    assert_eq!(follower.outcome().await, "error");
    assert_eq!(text(&outcome(&rig, id).await["error"], "code"), "refusal");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_cannot_be_prepared_ends_with_that_error() {
    let error = TurnError {
        code: "auth".to_owned(),
        message: "no key".to_owned(),
        retryable: false,
        hint: None,
        resets_at: None,
        sizes: None,
    };
    let (rig, id) = rig(|plan| plan.failures.push_back(Failure::Error(error))).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    assert_eq!(follower.outcome().await, "error");
    assert_eq!(
        follower.names()[3..],
        ["user", "runtime_start", "runtime_end", "turn_outcome"]
    );
    assert_eq!(text(&outcome(&rig, id).await["error"], "message"), "no key");
    rig.exchange(id, "again").await;
}

#[tokio::test(start_paused = true)]
async fn a_preparation_that_never_ends_ends_its_turn_after_a_while_or_at_a_cancel() {
    for cancels in [false, true] {
        let (rig, id) = rig(|plan| plan.is_stuck = true).await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "go").await;
        if cancels {
            assert!(rig.lane(id).await.cancel(None));
        }
        let expected = if cancels { "cancelled" } else { "error" };
        assert_eq!(follower.outcome().await, expected);
        if !cancels {
            let error = &outcome(&rig, id).await["error"];
            assert_eq!(text(error, "code"), "setup_timeout");
            assert_eq!(error["retryable"], true);
        }
        rig.plan(|plan| plan.is_stuck = false);
        rig.exchange(id, "again").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_one_turn_and_nothing_else() {
    for failure in [Failure::Panic, Failure::ModelPanic] {
        let (rig, id) = rig(|plan| plan.failures.push_back(failure)).await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "go").await;
        assert_eq!(follower.outcome().await, "error");
        let outcome = outcome(&rig, id).await;
        assert_eq!(text(&outcome["error"], "code"), "internal_error");
        rig.exchange(id, "again").await;
        rig.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_fits_no_record_ends_the_turn_and_leaves_nothing_open() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.text("I write it.").await;
    // A text would become a blob, arguments cannot.
    let content = "x".repeat(5 * 1024 * 1024);
    let arguments = format!("{{\"content\":\"{content}\"}}");
    call.tool_begins(1, "c1", "write", &arguments).await;
    call.done(StopReason::ToolUse).await;
    follower.until("message_cancelled").await;
    assert_eq!(follower.outcome().await, "error");
    assert_eq!(
        text(&outcome(&rig, id).await["error"], "code"),
        "payload_too_large"
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_announced_and_in_flight_until_the_answer_begins() {
    let (rig, id) = rig(|_| {}).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.fail(provider_error(true)).await;
    let retry = follower.until("model_retry").await;
    assert_eq!(retry["attempt"], 1);
    assert_eq!(retry["error"]["code"], "overloaded");
    assert_eq!(retry["error"]["message"], "too many people");
    let delay = retry["until"].as_u64().unwrap() - retry["ts"].as_u64().unwrap();
    assert!(delay <= 60_000, "{delay}");
    let open = async || {
        let page = crate::pages::resync(&rig, id, Default::default(), None).await;
        page.unwrap().in_flight.unwrap().open
    };
    assert_eq!(open().await.retry.unwrap().attempt, 1);
    let call = rig.model().await;
    call.text("at last").await;
    follower.until("message_start").await;
    assert_eq!(open().await.retry, None);
    call.done(StopReason::EndTurn).await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    assert_eq!(
        log.outline(),
        ["user", "instruction_snapshot", "assistant", "turn_outcome"]
    );
}
