//! How far a turn may go.

use std::time::Duration;

use scorel_engine::{EngineEvent, TurnLimits, TurnProgress};
use scorel_proto::{Block, MessageCancelReason, OutcomeReason, StopReason, Usage};

use crate::model::{Script, overloaded};
use crate::play::{Scene, TICK, wait_of};
use crate::toolbox::Tool;

const MINUTE: Duration = Duration::from_secs(60);

fn scene(limits: TurnLimits, scripts: impl IntoIterator<Item = Script>) -> Scene {
    let tools = [
        Tool::reads("Read"),
        Tool::writes("Slow").takes(10 * MINUTE),
        Tool::writes("Bash").takes(10 * MINUTE).interruptible(),
    ];
    let mut scene = Scene::new(scripts, tools);
    scene.limits = limits;
    scene
}

fn minutes(count: u32) -> TurnLimits {
    TurnLimits {
        max_duration: count * MINUTE,
        ..TurnLimits::default()
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_step_runs_its_tools() {
    let limits = TurnLimits {
        max_steps: 2,
        ..TurnLimits::default()
    };
    let asks = Script::asks(&[("c1", "Read")]);
    let played = scene(limits, [asks.clone(), asks]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("steps")));
    assert_eq!(played.end.steps, 2);
    assert_eq!(played.answers().len(), 2);
    assert!(played.results().iter().all(|one| !one.result().is_error));
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_tokens_left_runs_nothing_more() {
    let limits = TurnLimits {
        max_tokens: 100,
        ..TurnLimits::default()
    };
    let asks = Script::default()
        .call("c1", "Read", "{}")
        .done_using(StopReason::ToolUse, 100);
    let scene = scene(limits, [asks]);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("tokens")));
    assert!(
        played.answers()[0]
            .1
            .starts_with("not run: the turn used 100")
    );
    assert!(scene.tools.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_last_answer_may_use_up_the_tokens() {
    let limits = TurnLimits {
        max_tokens: 10,
        ..TurnLimits::default()
    };
    let played = scene(limits, [Script::says("done")]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_a_model_call_and_keeps_its_text() {
    let script = Script::default().text(&["half"]).hang();
    let played = scene(minutes(2), [script]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("time")));
    assert_eq!(played.took, 2 * MINUTE);
    let message = played.messages()[0];
    assert!(message.partial);
    assert_eq!(message.stop_reason, StopReason::Interrupted);
    assert_eq!(message.content, [Block::text("half")]);
    let end = played.events.last().unwrap();
    let stop_reason = Some(StopReason::Interrupted);
    assert!(
        matches!(end, EngineEvent::TurnEnd { stop_reason: at_end, .. } if *at_end == stop_reason)
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_over_its_limit_is_stopped_while_it_streams_and_kept() {
    let limits = TurnLimits {
        max_answer_bytes: 10,
        ..TurnLimits::default()
    };
    let script = Script::default().text(&["01234", "56789", "abcde"]).hang();
    let played = scene(limits, [script]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("answer")));
    assert_eq!(played.took, Duration::ZERO, "the rest is not waited for");
    let message = played.messages()[0];
    assert!(message.partial);
    assert_eq!(message.stop_reason, StopReason::MaxTokens);
    assert_eq!(message.content, [Block::text("0123456789abcde")]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_exactly_its_limit_is_complete() {
    let limits = TurnLimits {
        max_answer_bytes: 10,
        ..TurnLimits::default()
    };
    let script = Script::default()
        .text(&["01234", "56789"])
        .done(StopReason::EndTurn);
    let played = scene(limits, [script]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_takes_back_a_message_without_text() {
    let script = Script::default().thinking("hm").hang();
    let played = scene(minutes(2), [script]).play().await;
    let reason = MessageCancelReason::Error;
    assert!(played.has(|event| *event == EngineEvent::MessageCancelled { reason }));
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_interrupts_tools_and_starts_no_others() {
    let asks = Script::asks(&[("c1", "Bash"), ("c2", "Slow"), ("c3", "Read")]);
    let played = scene(minutes(2), [asks]).play().await;
    let late = "not run: the turn's time was up";
    let answers = [("c1", "c1 was interrupted"), ("c2", late), ("c3", late)];
    assert_eq!(played.answers(), answers);
    assert_eq!(played.took, 2 * MINUTE);
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("time")));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_be_interrupted_finishes_after_the_time() {
    let played = scene(minutes(2), [Script::asks(&[("c1", "Slow")])])
        .play()
        .await;
    assert_eq!(played.answers(), [("c1", "c1 is done")]);
    assert_eq!(played.took, 10 * MINUTE);
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("time")));
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_does_not_count_as_the_turns_time() {
    let waits = Script::default().fail(overloaded(Some(30 * MINUTE)));
    let works = Script::default()
        .wait(MINUTE)
        .text(&["done"])
        .done(StopReason::EndTurn);
    let played = scene(minutes(2), [waits, works]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    let waited: Duration = played.events.iter().map(wait_of).sum();
    assert!(
        played.took.abs_diff(waited + MINUTE) <= TICK,
        "{:?}",
        played.took
    );
}

#[tokio::test(start_paused = true)]
async fn the_time_after_a_long_wait_still_has_its_limit() {
    let waits = Script::default().fail(overloaded(Some(30 * MINUTE)));
    let hangs = Script::default().hang();
    let played = scene(minutes(2), [waits, hangs]).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("time")));
    let waited: Duration = played.events.iter().map(wait_of).sum();
    let expected = waited + 2 * MINUTE;
    assert!(played.took.abs_diff(expected) <= TICK, "{:?}", played.took);
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_of_an_answer_are_answered_and_not_run() {
    let limits = TurnLimits {
        max_calls_per_answer: 2,
        ..TurnLimits::default()
    };
    let asks = Script::asks(&[
        ("c1", "Read"),
        ("c2", "Read"),
        ("c3", "Read"),
        ("c4", "Read"),
    ]);
    let scene = scene(limits, [asks, Script::says("so")]);
    let played = scene.play().await;
    let late = "not run: the answer had too many calls";
    let answers = [
        ("c1", "c1 is done"),
        ("c2", "c2 is done"),
        ("c3", late),
        ("c4", late),
    ];
    assert_eq!(played.answers(), answers);
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn the_limits_of_a_resumed_turn_hold_for_the_whole_turn() {
    let limits = || TurnLimits {
        max_steps: 3,
        max_tokens: 100,
        ..minutes(3)
    };
    let progress = |steps, input_tokens, minutes: u32| TurnProgress {
        usage: Usage {
            input_tokens,
            ..Usage::default()
        },
        steps,
        elapsed: minutes * MINUTE,
        ..TurnProgress::default()
    };
    let mut goes_on = scene(limits(), [Script::asks(&[("c1", "Read")])]);
    goes_on.progress = progress(2, 30, 1);
    let played = goes_on.play().await;
    assert_eq!(played.story()[0], "turn 2");
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("steps")));
    assert_eq!((played.end.steps, played.end.usage.input_tokens), (3, 40));

    let mut slow = scene(limits(), [Script::default().hang()]);
    slow.progress = progress(1, 30, 1);
    let played = slow.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("time")));
    assert_eq!(played.took, 2 * MINUTE);

    for (done, code) in [(progress(1, 100, 1), "tokens"), (progress(1, 0, 4), "time")] {
        let mut over = scene(limits(), []);
        over.progress = done;
        let played = over.play().await;
        assert!(played.events.is_empty());
        assert_eq!(played.outcome(), (OutcomeReason::Limit, Some(code)));
    }
}
