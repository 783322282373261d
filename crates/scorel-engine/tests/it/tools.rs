//! Tool calls: together, one after the other, and what they show.

use std::time::Duration;

use scorel_engine::EngineEvent;
use scorel_proto::{Context, OutcomeReason};

use crate::model::Script;
use crate::play::{Played, Scene};
use crate::toolbox::{Mark, Tool};

const SECOND: Duration = Duration::from_secs(1);

fn scene(calls: &[(&str, &str)]) -> Scene {
    let tools = [
        Tool::reads("Read"),
        Tool::reads("Slow").takes(10 * SECOND),
        Tool::reads("Fast").takes(SECOND),
        Tool::reads("Talk").takes(4 * SECOND).updates(3),
        Tool::reads("Bye").takes(SECOND).parting(),
        Tool::writes("Write").takes(SECOND),
    ];
    Scene::new([Script::asks(calls), Script::says("so")], tools)
}

fn began(id: &str) -> Mark {
    Mark::Began(id.to_owned())
}

fn ended(id: &str) -> Mark {
    Mark::Ended(id.to_owned())
}

/// The lines of the story from the first tool to the last result.
fn tool_story(played: &Played) -> Vec<String> {
    let is_tool = |line: &&String| {
        ["tool", "update", "result"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    played.story().iter().filter(is_tool).cloned().collect()
}

#[tokio::test(start_paused = true)]
async fn adjacent_reading_calls_run_together_and_answer_in_order() {
    let scene = scene(&[("c1", "Slow"), ("c2", "Fast"), ("c3", "Fast")]);
    let played = scene.play().await;
    let story = [
        "tool c1",
        "tool c2",
        "tool c3",
        "tool end c2",
        "tool end c3",
        "tool end c1",
        "result c1",
        "result c2",
        "result c3",
    ];
    assert_eq!(tool_story(&played), story);
    assert_eq!(played.took, 10 * SECOND);
    let durations: Vec<u64> = played.results().iter().map(|one| one.duration_ms).collect();
    assert_eq!(durations, [10_000, 1_000, 1_000]);
}

#[tokio::test(start_paused = true)]
async fn a_writing_call_is_a_barrier() {
    let calls = [
        ("r1", "Slow"),
        ("r2", "Fast"),
        ("w1", "Write"),
        ("w2", "Write"),
        ("r3", "Slow"),
    ];
    let scene = scene(&calls);
    let played = scene.play().await;
    let marks = [
        began("r1"),
        began("r2"),
        ended("r2"),
        ended("r1"),
        began("w1"),
        ended("w1"),
        began("w2"),
        ended("w2"),
        began("r3"),
        ended("r3"),
    ];
    assert_eq!(scene.tools.marks(), marks);
    assert_eq!(played.took, 22 * SECOND);
    let ids: Vec<&str> = played.answers().iter().map(|answer| answer.0).collect();
    assert_eq!(ids, ["r1", "r2", "w1", "w2", "r3"]);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_a_barrier_and_gets_an_error() {
    let scene = scene(&[("c1", "Fast"), ("c2", "Nope"), ("c3", "Fast")]);
    let played = scene.play().await;
    assert_eq!(played.took, 2 * SECOND);
    let text =
        "E_UNKNOWN_TOOL: no tool is named `Nope`; the tools are Read, Slow, Fast, Talk, Bye, Write";
    assert_eq!(played.answers()[1], ("c2", text));
    assert!(played.results()[1].result().is_error);
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn the_number_of_tools_that_run_together_is_bounded() {
    let ids: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
    let calls: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "Fast")).collect();
    let scene = scene(&calls);
    let played = scene.play().await;
    let mut running: usize = 0;
    let mut most = 0;
    for mark in scene.tools.marks() {
        match mark {
            Mark::Began(_) => running += 1,
            Mark::Ended(_) => running -= 1,
        }
        most = most.max(running);
    }
    assert_eq!(most, scene.limits.max_parallel_tools);
    assert_eq!(played.took, 3 * SECOND);
    assert_eq!(played.results().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_tool_starts_only_after_it_was_announced() {
    let scene = scene(&[("c1", "Fast"), ("c2", "Fast")]);
    scene
        .play_watched(|event| {
            if let EngineEvent::ToolExecutionStart { .. } = event {
                assert!(scene.tools.calls().is_empty());
            }
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_reports_its_progress() {
    let played = scene(&[("c1", "Talk")]).play().await;
    let story = [
        "tool c1",
        "update c1 0",
        "update c1 1",
        "update c1 2",
        "tool end c1",
        "result c1",
    ];
    assert_eq!(tool_story(&played), story);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_shown_of_a_tool_after_its_end() {
    let played = scene(&[("c1", "Slow"), ("c2", "Bye"), ("c3", "Bye")])
        .play()
        .await;
    assert_eq!(played.results().len(), 3);
    let late = |event: &_| matches!(event, EngineEvent::ToolExecutionUpdate { .. });
    assert!(!played.has(late));
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_the_latest_and_the_tool_does_not_wait() {
    let scene = scene(&[("c1", "Talk"), ("c2", "Slow")]);
    let mut driver = scene.driver();
    let mut shown = Vec::new();
    loop {
        match driver.next().await {
            scorel_engine::TurnStep::NeedContext { .. } => {
                driver.provide_context(Context::default());
            }
            scorel_engine::TurnStep::Event(EngineEvent::ToolExecutionUpdate {
                partial, ..
            }) => {
                shown.push(partial);
                // The tool shows two more things meanwhile.
                tokio::time::advance(Duration::from_millis(2500)).await;
            }
            scorel_engine::TurnStep::NeedRoom(error)
            | scorel_engine::TurnStep::NeedTools { error, .. } => panic!("{error:?}"),
            scorel_engine::TurnStep::Event(_) => {}
            scorel_engine::TurnStep::NeedPermission { .. }
            | scorel_engine::TurnStep::NotReady(_)
            | scorel_engine::TurnStep::NeedSpending { .. }
            | scorel_engine::TurnStep::Suspended
            | scorel_engine::TurnStep::Parked => panic!("nothing is asked or stopped here"),
            scorel_engine::TurnStep::Finished(end) => {
                assert_eq!(end.reason, OutcomeReason::Completed);
                break;
            }
        }
    }
    assert!(shown.len() <= 3, "{shown:?}");
    assert_eq!(shown.first(), Some(&0.into()));
}
