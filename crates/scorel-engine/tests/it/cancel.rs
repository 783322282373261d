//! Cancelling, in every phase of a turn.

use std::time::Duration;

use scorel_engine::{EngineEvent, RetryPolicy};
use scorel_proto::{Block, MessageCancelReason, OutcomeReason, StopReason};

use crate::model::{Script, overloaded};
use crate::play::{Played, Scene};
use crate::toolbox::Tool;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);
const CANCELLED: (OutcomeReason, Option<&str>) = (OutcomeReason::Cancelled, None);

fn taken_back(played: &Played) -> bool {
    let reason = MessageCancelReason::UserCancel;
    played.has(|event| *event == EngineEvent::MessageCancelled { reason })
}

#[tokio::test(start_paused = true)]
async fn a_turn_cancelled_before_it_begins_makes_no_call() {
    let scene = Scene::new([], []);
    scene.cancel.cancel();
    let played = scene.play().await;
    assert!(played.events.is_empty());
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_before_the_call_prevents_it() {
    let scene = Scene::new([], []);
    let announced = |event: &_| matches!(event, EngineEvent::TurnStart { .. });
    let played = scene.play_cancelled_at(announced).await;
    assert_eq!(played.story(), ["turn 0", "turn end 0"]);
    assert_eq!(scene.model.calls(), 0);
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn before_the_first_byte_there_is_no_message() {
    let scene = Scene::new([Script::default().start("m").hang()], []);
    let played = scene.play_cancelled_after(SECOND).await;
    assert_eq!(played.story(), ["turn 0", "turn end 0"]);
    assert_eq!(played.outcome(), CANCELLED);
    assert_eq!(played.took, SECOND);
}

#[tokio::test(start_paused = true)]
async fn text_is_kept_as_a_partial_message() {
    let script = Script::default().thinking("hm").text(&["half an"]).hang();
    let played = Scene::new([script], []).play_cancelled_after(SECOND).await;
    let [message] = played.messages()[..] else {
        panic!("one message");
    };
    assert!(message.partial);
    assert_eq!(message.stop_reason, StopReason::Cancelled);
    assert_eq!(message.content[1], Block::text("half an"));
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn a_message_without_text_is_taken_back() {
    for script in [
        Script::default().thinking("hm"),
        Script::default().text(&[" \n"]),
        Script::default().call("c1", "Read", r#"{"pa"#),
    ] {
        let scene = Scene::new([script.hang()], [Tool::reads("Read")]);
        let played = scene.play_cancelled_after(SECOND).await;
        assert!(taken_back(&played));
        assert!(played.messages().is_empty());
        assert_eq!(played.outcome(), CANCELLED);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_an_answer_under_way_are_dropped() {
    let script = Script::default()
        .text(&["so"])
        .call("c1", "Read", "{}")
        .hang();
    let scene = Scene::new([script], [Tool::reads("Read")]);
    let played = scene.play_cancelled_after(SECOND).await;
    assert_eq!(played.messages()[0].content, [Block::text("so")]);
    assert!(scene.tools.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn after_the_answer_no_call_starts_and_each_has_its_result() {
    let scene = Scene::new(
        [Script::asks(&[("c1", "Read"), ("c2", "Write")])],
        [Tool::reads("Read"), Tool::writes("Write")],
    );
    let answered = |event: &_| matches!(event, EngineEvent::MessageEnd { .. });
    let played = scene.play_cancelled_at(answered).await;
    let refused = "Cancelled by user";
    assert_eq!(played.answers(), [("c1", refused), ("c2", refused)]);
    assert!(played.results().iter().all(|one| one.result().is_error));
    assert!(!played.has(|event| matches!(event, EngineEvent::ToolExecutionStart { .. })));
    assert!(!played.messages()[0].partial);
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_announced_does_not_start() {
    let scene = Scene::new([Script::asks(&[("c1", "Write")])], [Tool::writes("Write")]);
    let announced = |event: &_| matches!(event, EngineEvent::ToolExecutionStart { .. });
    let played = scene.play_cancelled_at(announced).await;
    assert_eq!(played.answers(), [("c1", "Cancelled by user")]);
    assert!(scene.tools.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_running_tool_finishes_unless_it_can_be_interrupted() {
    let tools = [
        Tool::reads("Read").takes(60 * SECOND),
        Tool::reads("Bash").takes(HOUR).interruptible(),
        Tool::writes("Write"),
    ];
    let asks = Script::asks(&[("c1", "Read"), ("c2", "Bash"), ("c3", "Write")]);
    let scene = Scene::new([asks], tools);
    let played = scene.play_cancelled_after(SECOND).await;
    let answers = [
        ("c1", "c1 is done"),
        ("c2", "c2 was interrupted"),
        ("c3", "Cancelled by user"),
    ];
    assert_eq!(played.answers(), answers);
    assert_eq!(played.took, 60 * SECOND);
    assert_eq!(played.results()[1].duration_ms, 1000);
    assert_eq!(played.outcome(), CANCELLED);
    assert_eq!(scene.model.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_running_tool_still_shows_updates_after_the_cancel() {
    let tools = [
        Tool::reads("Slow").takes(10 * SECOND).updates(9),
        Tool::reads("Bash").takes(HOUR).interruptible(),
    ];
    let scene = Scene::new([Script::asks(&[("c1", "Slow"), ("c2", "Bash")])], tools);
    let played = scene
        .play_cancelled_after(Duration::from_millis(4500))
        .await;
    let shown = played
        .story()
        .iter()
        .filter(|line| line.starts_with("update c1"))
        .count();
    assert_eq!(shown, 9);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_before_a_retry_prevents_it() {
    let mut scene = Scene::new([Script::default().fail(overloaded(Some(30 * SECOND)))], []);
    scene.retry = RetryPolicy::default();
    let played = scene.play_cancelled_after(SECOND).await;
    assert_eq!(played.story(), ["turn 0", "retry 1", "turn end 0"]);
    assert_eq!(played.took, SECOND);
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_ends_at_once() {
    let scene = Scene::new([Script::default().fail(overloaded(Some(HOUR)))], []);
    let played = scene.play_cancelled_after(SECOND).await;
    assert_eq!(played.story(), ["turn 0", "turn end 0", "waiting 1"]);
    assert_eq!(played.took, SECOND);
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_between_two_calls_prevents_the_second() {
    let scene = Scene::new([Script::asks(&[("c1", "Read")])], [Tool::reads("Read")]);
    let ended = |event: &_| matches!(event, EngineEvent::TurnEnd { .. });
    let played = scene.play_cancelled_at(ended).await;
    assert_eq!(played.answers(), [("c1", "c1 is done")]);
    assert_eq!(scene.model.calls(), 1);
    assert_eq!(played.outcome(), CANCELLED);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_has_its_last_answer_stays_completed() {
    let scene = Scene::new([Script::says("done")], []);
    let answered = |event: &_| matches!(event, EngineEvent::MessageEnd { .. });
    let played = scene.play_cancelled_at(answered).await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn exactly_the_text_shown_before_the_cancel_is_kept() {
    let deltas = ["one ", "two ", "three ", "four"];
    for last in deltas {
        let scene = Scene::new([Script::default().text(&deltas).hang()], []);
        let seen =
            |event: &_| matches!(event, EngineEvent::TextDelta { delta, .. } if delta == last);
        let played = scene.play_cancelled_at(seen).await;
        let place = deltas.iter().position(|delta| *delta == last).unwrap();
        let expected = deltas[..=place].concat();
        assert_eq!(played.messages()[0].content, [Block::text(expected)]);
    }
}
