//! Calls that need permission.

use std::time::Duration;

use scorel_engine::{Permission, StopCause, ToolCall, TurnProgress};
use scorel_proto::OutcomeReason;
use serde_json::json;

use crate::model::Script;
use crate::play::Scene;
use crate::toolbox::{Mark, Tool};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 3600);

fn scene(calls: &[(&str, &str)]) -> Scene {
    let tools = [
        Tool::reads("Read").takes(SECOND),
        Tool::writes("Write").takes(SECOND),
    ];
    Scene::new([Script::asks(calls), Script::says("so")], tools)
}

fn refused(text: &str) -> Permission {
    Permission::Refused(text.to_owned())
}

fn began(scene: &Scene) -> Vec<String> {
    let marks = scene.tools.marks().into_iter();
    marks
        .filter_map(|mark| match mark {
            Mark::Began(id) => Some(id),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_is_answered_and_never_announced_or_run() {
    let scene = scene(&[("c1", "Read"), ("c2", "Read"), ("c3", "Write")]);
    scene.gate.refuses("c2", "not that one");
    scene.gate.asks("c3", SECOND, refused("no"));
    let played = scene.play().await;
    assert_eq!(began(&scene), ["c1"]);
    let story = played.story();
    assert!(!story.contains(&"tool c2".to_owned()), "{story:?}");
    assert!(!story.contains(&"tool c3".to_owned()), "{story:?}");
    let answers = played.answers();
    assert_eq!(answers[1], ("c2", "not that one"));
    assert_eq!(answers[2], ("c3", "no"));
    assert!(played.results()[1].result().is_error);
    assert_eq!(played.end.reason, OutcomeReason::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_group_runs_together_once_each_of_its_calls_was_judged() {
    let scene = scene(&[
        ("c1", "Read"),
        ("c2", "Read"),
        ("c3", "Write"),
        ("c4", "Read"),
    ]);
    scene.gate.asks("c1", 10 * SECOND, Permission::Granted);
    scene.gate.asks("c2", 10 * SECOND, Permission::Granted);
    let played = scene.play().await;
    assert_eq!(began(&scene), ["c1", "c2", "c3", "c4"]);
    assert_eq!(played.took, 23 * SECOND, "two questions, three groups");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_judged_when_those_before_it_are_done() {
    let scene = scene(&[("c1", "Write"), ("c2", "Write")]);
    let mut judged_at_result = Vec::new();
    scene
        .play_watched(|event| {
            if matches!(event, scorel_engine::EngineEvent::ToolResult { .. }) {
                judged_at_result.push(scene.gate.judged().len());
            }
        })
        .await;
    assert_eq!(judged_at_result, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn time_spent_waiting_for_an_answer_does_not_count() {
    let mut scene = scene(&[("c1", "Write"), ("c2", "Write")]);
    scene.limits.max_duration = 5 * SECOND;
    scene.gate.asks("c1", DAY, Permission::Granted);
    let played = scene.play().await;
    assert_eq!(played.end.reason, OutcomeReason::Completed);
    assert_eq!(played.took, DAY + 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_at_a_question_runs_nothing_more() {
    let scene = scene(&[("c1", "Write"), ("c2", "Read")]);
    scene.gate.asks("c1", DAY, Permission::Granted);
    let played = scene.play_cancelled_after(SECOND).await;
    assert_eq!(began(&scene), Vec::<String>::new());
    assert_eq!(
        played.answers(),
        [
            ("c1", "no answer"),
            ("c2", StopCause::Cancelled.call_result())
        ]
    );
    assert_eq!(played.end.reason, OutcomeReason::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_turn_resumes_at_its_pending_calls() {
    let mut scene = scene(&[]);
    scene.model = crate::model::ScriptedModel::new([Script::says("so")]);
    let call = |id: &str, name: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        input: json!({}),
        invalid_input: None,
    };
    scene.pending = vec![call("c1", "Write").into(), call("c2", "Read").into()];
    scene.progress = TurnProgress {
        steps: 1,
        ..TurnProgress::default()
    };
    scene.gate.asks("c1", SECOND, Permission::Granted);
    let played = scene.play().await;
    assert_eq!(began(&scene), ["c1", "c2"]);
    assert_eq!(played.end.reason, OutcomeReason::Completed);
    assert_eq!(played.end.steps, 2);
}
