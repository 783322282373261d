//! Model calls that fail.

use std::time::Duration;

use scorel_engine::{EngineEvent, ErrorCategory, ProviderError};
use scorel_proto::{MessageCancelReason, OutcomeReason, Usage};

use crate::model::{Script, overloaded};
use crate::play::{Scene, TICK, wait_of};
use crate::toolbox::Tool;

const SECOND: Duration = Duration::from_secs(1);

fn failing(retry_after: Option<Duration>) -> Script {
    Script::default().fail(overloaded(retry_after))
}

#[tokio::test(start_paused = true)]
async fn a_call_that_showed_nothing_is_made_again() {
    let begun = Script::default().start("m").fail(overloaded(None));
    let scene = Scene::new([failing(None), begun, Script::says("hi")], []);
    let played = scene.play().await;
    let story = [
        "turn 0",
        "retry 1",
        "retry 2",
        "message",
        "text 0 hi",
        "message end EndTurn",
        "turn end 0",
    ];
    assert_eq!(played.story(), story);
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    assert_eq!(played.end.steps, 1);
    assert_eq!(played.messages()[0].model, "scripted:scripted-1");
}

#[tokio::test(start_paused = true)]
async fn delays_are_random_and_their_bound_doubles() {
    let scripts = || (0..5).map(|_| failing(None)).chain([Script::says("hi")]);
    let mut distinct = std::collections::HashSet::new();
    for _ in 0..50 {
        let scene = Scene::new(scripts(), []);
        scene.play().await;
        let gaps = scene.model.gaps();
        for (attempt, gap) in gaps.iter().enumerate() {
            let bound = Duration::from_millis(500) * (1 << attempt);
            assert!(*gap <= bound + Duration::from_millis(1), "{gaps:?}");
        }
        distinct.insert(gaps);
    }
    assert!(distinct.len() > 40, "{} of 50 differ", distinct.len());
}

#[tokio::test(start_paused = true)]
async fn attempts_come_to_an_end() {
    let scene = Scene::new((0..6).map(|_| failing(None)), []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Error, Some("overloaded")));
    assert!(played.end.error.as_ref().unwrap().retryable);
    assert_eq!(scene.model.calls(), 6);
    assert_eq!(
        played.story(),
        [
            "turn 0",
            "retry 1",
            "retry 2",
            "retry 3",
            "retry 4",
            "retry 5",
            "turn end 0"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_announced_with_its_reason_and_its_delay() {
    let scene = Scene::new([failing(Some(20 * SECOND)), Script::says("hi")], []);
    let mut announced = Vec::new();
    scene
        .play_watched(|event| {
            if let EngineEvent::Retrying {
                attempt,
                error,
                delay,
            } = event
            {
                let calls = scene.model.calls();
                announced.push((*attempt, error.code.clone(), *delay, calls));
            }
        })
        .await;
    assert_eq!(announced, [(1, "overloaded".to_owned(), 20 * SECOND, 1)]);
}

#[tokio::test(start_paused = true)]
async fn every_model_call_has_its_own_attempts() {
    let asks = Script::asks(&[("c1", "Read")]);
    let failures = |count: usize| (0..count).map(|_| failing(None));
    let scripts = failures(5)
        .chain([asks])
        .chain(failures(5))
        .chain([Script::says("hi")]);
    let scene = Scene::new(scripts, [Tool::reads("Read")]);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    assert_eq!(scene.model.calls(), 12);
    assert_eq!(played.end.steps, 2);
}

#[tokio::test(start_paused = true)]
async fn the_providers_delay_is_waited_for() {
    let scene = Scene::new([failing(Some(20 * SECOND)), Script::says("hi")], []);
    let played = scene.play().await;
    assert_eq!(scene.model.gaps(), [20 * SECOND]);
    assert!(!played.has(|event| matches!(event, EngineEvent::Waiting { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_provider_delay_of_zero_does_not_cause_a_storm() {
    let scripts = (0..5).map(|_| failing(Some(Duration::ZERO)));
    let scene = Scene::new(scripts.chain([Script::says("hi")]), []);
    let played = scene.play().await;
    assert!(played.took > Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_suspends_the_turn_and_the_call_is_made_anew() {
    let scene = Scene::new([failing(Some(3600 * SECOND)), Script::says("hi")], []);
    let played = scene.play().await;
    let story = [
        "turn 0",
        "turn end 0",
        "waiting 1",
        "turn 0",
        "message",
        "text 0 hi",
        "message end EndTurn",
        "turn end 0",
    ];
    assert_eq!(played.story(), story);
    let waited: Duration = played.events.iter().map(wait_of).sum();
    assert!(
        (3600 * SECOND..=3630 * SECOND).contains(&waited),
        "{waited:?}"
    );
    assert!(played.took.abs_diff(waited) <= TICK, "{:?}", played.took);
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn a_turn_waits_twenty_times_and_then_fails() {
    let scene = Scene::new((0..21).map(|_| failing(Some(120 * SECOND))), []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Error, Some("overloaded")));
    assert_eq!(scene.model.calls(), 21);
    assert_eq!(played.story().last().unwrap(), "turn end 0");
    assert!(played.story().contains(&"waiting 20".to_owned()));

    let mut again = Scene::new([failing(Some(120 * SECOND))], []);
    again.progress.waits = 20;
    let played = again.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Error, Some("overloaded")));
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_beyond_the_longest_wait_says_when_it_ends() {
    let error = ProviderError {
        category: ErrorCategory::RateLimit,
        ..overloaded(Some(7 * 3600 * SECOND))
    };
    let scene = Scene::new([Script::default().fail(error)], []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Error, Some("rate_limit")));
    let resets_at = played.end.error.as_ref().unwrap().resets_at;
    assert_eq!(resets_at, Some(7 * 3600 * 1000));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_too_long_is_a_failure() {
    let scene = Scene::new([failing(Some(7 * 3600 * SECOND))], []);
    let played = scene.play().await;
    assert_eq!(played.took, Duration::ZERO);
    assert_eq!(played.outcome(), (OutcomeReason::Error, Some("overloaded")));
}

#[tokio::test(start_paused = true)]
async fn a_final_error_is_not_tried_again() {
    let error = ProviderError {
        category: ErrorCategory::Auth,
        retryable: false,
        ..overloaded(None)
    };
    let scene = Scene::new([Script::default().fail(error)], []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Error, Some("auth")));
    assert_eq!(scene.model.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_visible_output_nothing_is_tried_again() {
    let error = || overloaded(Some(SECOND));
    let text = Script::default().text(&["half"]).fail(error());
    let scene = Scene::new([text], []);
    let played = scene.play().await;
    assert!(played.messages()[0].partial);
    assert_eq!(scene.model.calls(), 1);
    for script in [
        Script::default().thinking("hm"),
        Script::default().call("c1", "Read", "{"),
    ] {
        let scene = Scene::new([script.fail(error())], []);
        let played = scene.play().await;
        let reason = MessageCancelReason::Error;
        assert!(played.has(|event| *event == EngineEvent::MessageCancelled { reason }));
        assert_eq!(scene.model.calls(), 1);
        assert_eq!(played.outcome(), (OutcomeReason::Error, Some("overloaded")));
    }
}

#[tokio::test(start_paused = true)]
async fn what_failed_calls_used_is_counted() {
    let error = ProviderError {
        usage: Some(Usage {
            input_tokens: 5,
            ..Usage::default()
        }),
        ..overloaded(None)
    };
    let failed = Script::default().fail(error);
    let scene = Scene::new([failed.clone(), failed, Script::says("hi")], []);
    let played = scene.play().await;
    assert_eq!(played.end.usage.input_tokens, 20);
    let charged = played
        .story()
        .iter()
        .filter(|event| *event == "charged 5")
        .count();
    assert_eq!(charged, 2, "each is recorded: {:?}", played.story());
}

#[tokio::test(start_paused = true)]
async fn an_empty_stream_is_tried_again() {
    let scene = Scene::new([Script::default(), Script::says("hi")], []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    assert_eq!(scene.model.calls(), 2);
}

fn too_large() -> Script {
    Script::default().fail(ProviderError {
        category: ErrorCategory::ContextOverflow,
        retryable: false,
        ..overloaded(None)
    })
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_too_large_is_made_again_once_there_is_room() {
    let scene = Scene::new([too_large(), Script::says("hi")], []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    let story = [
        "turn 0",
        "turn end 0",
        "turn 1",
        "message",
        "text 0 hi",
        "message end EndTurn",
        "turn end 1",
    ];
    assert_eq!(played.story(), story);
}

#[tokio::test(start_paused = true)]
async fn room_is_made_once_a_call() {
    let scene = Scene::new([too_large(), too_large()], []);
    let played = scene.play().await;
    let outcome = (OutcomeReason::Error, Some("context_overflow"));
    assert_eq!(played.outcome(), outcome);
    let tool = Script::asks(&[("c1", "Read")]);
    let scripts = [too_large(), tool, too_large(), Script::says("hi")];
    let scene = Scene::new(scripts, [Tool::reads("Read")]);
    let played = scene.play().await;
    assert_eq!(
        played.outcome(),
        (OutcomeReason::Completed, None),
        "the next call may too"
    );
}
