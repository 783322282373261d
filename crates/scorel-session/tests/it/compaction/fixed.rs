//! A system prompt that leaves no room.

use serde_json::Value;

use super::counted::{WINDOW, counted, filled};
use super::{asks_for_summary, states};
use crate::rig::Rig;

/// The budget of the window is 24,576.
const SYSTEM: u64 = 25_500;

/// A session whose system prompt alone has so many tokens.
fn rig_with_system(tokens: u64) -> Rig {
    let rig = Rig::new();
    rig.plan(|plan| {
        plan.window = Some(WINDOW);
        plan.base = Some(filled("Do as the manual says. ", tokens));
        plan.compaction.settings.keep_tokens = 100;
    });
    rig
}

fn assert_names_sizes(error: &Value, system: u64) {
    assert_eq!(error["code"], "context_overflow");
    let size = |name: &str| error["sizes"][name].as_u64().expect("a size");
    assert_eq!(size("window"), WINDOW);
    assert!(size("system").abs_diff(system) < system / 5, "{error}");
    assert!(size("tools") > 0 && size("kept") > 0, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_system_prompt_over_the_budget_ends_in_an_error_after_two_summaries() {
    let rig = rig_with_system(SYSTEM);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let mut summaries = 0;
    rig.begin(id, "read it all").await;
    for step in 0..20 {
        let call = tokio::select! {
            call = rig.model() => call,
            outcome = follower.outcome() => {
                assert_eq!(outcome, "error");
                break;
            }
        };
        if asks_for_summary(&call) {
            summaries += 1;
            call.answer("so far").await;
            continue;
        }
        let usage = counted(&call.request);
        let name = format!("c{step}");
        call.tools_counted(&[(&name, "look")], usage).await;
        rig.tool().await.end(&filled("One line of it. ", 900));
    }
    assert_eq!(summaries, 2);
    let log = rig.check(id).await;
    assert_names_sizes(&log.only("turn_outcome")["error"], SYSTEM);
    let hint = log.only("turn_outcome")["error"]["hint"].clone();
    for way in ["`scorelctl compact`", "`scorelctl rewind`"] {
        assert!(
            hint.as_str().is_some_and(|hint| hint.contains(way)),
            "{hint}"
        );
    }
    rig.begin(id, "again").await;
    let call = rig.model().await;
    assert!(asks_for_summary(&call), "a new turn tries one");
    call.answer("so far").await;
    let call = rig.model().await;
    assert!(!asks_for_summary(&call), "no more than one");
    call.answer_uncounted("now there is room").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(states(&rig.check(id).await), ["started"; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_system_prompt_over_the_window_is_an_error_without_a_call() {
    let rig = rig_with_system(WINDOW);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "hello").await;
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    assert_names_sizes(&log.only("turn_outcome")["error"], WINDOW);
    assert_eq!(states(&log), [""; 0]);
}
