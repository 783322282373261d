//! The note for the model on a turn that was not completed.

use super::{Path, ended};
use crate::{
    ContextWindow, OutcomeReason, PersistentBody, PersistentEvent, TurnId, WindowItem,
    build_context,
};

const REST: &str = "Only what results above report was done; nothing else of it has run. Do not go on \
    with it unless the user asks for that.";

/// Ends the path's turn; the event is on no path.
fn end(path: &mut Path, reason: OutcomeReason, error: Option<&str>) -> PersistentEvent {
    path.push(PersistentBody::TurnOutcome(ended(reason, error)));
    let mut outcome = path.events.pop().expect("it was pushed");
    outcome.parent_id = None;
    path.turn = TurnId::generate();
    path.hole += 1;
    outcome
}

fn shown(path: &Path, edits: &[PersistentEvent]) -> String {
    let shown: Vec<String> = build_context(&path.events, edits)
        .iter()
        .map(super::show)
        .collect();
    shown.join(" | ")
}

#[test]
fn a_turn_that_was_not_completed_is_named_before_what_follows() {
    for (reason, error, how) in [
        (
            OutcomeReason::Cancelled,
            None,
            "The user cancelled the work on the message above before it was finished.",
        ),
        (
            OutcomeReason::Interrupted,
            None,
            "The program that runs you stopped before the work on the message above was finished.",
        ),
        (
            OutcomeReason::Error,
            Some("too many people"),
            "The work on the message above ended early with an error: too many people.",
        ),
        (
            OutcomeReason::Limit,
            Some("the limit of 3 steps"),
            "The work on the message above was stopped at a limit: the limit of 3 steps.",
        ),
    ] {
        let mut path = Path::new();
        path.user("DELETE everything please");
        let outcome = end(&mut path, reason, error);
        path.user("What is 1+1?");
        let told = format!("u:DELETE everything please | u:[{how} {REST}] | u:What is 1+1?");
        assert_eq!(shown(&path, &[outcome]), told);
    }
}

#[test]
fn a_completed_turn_is_not_named() {
    let mut path = Path::new();
    path.user("q");
    path.assistant("a");
    let outcome = end(&mut path, OutcomeReason::Completed, None);
    path.user("next");
    assert_eq!(shown(&path, &[outcome]), "u:q | a:a | u:next");
}

#[test]
fn it_stands_after_the_turns_last_message_on_that_turns_paths_only() {
    let mut path = Path::new();
    path.user("first");
    let rest = path.events.clone();
    path.turn = TurnId::generate();
    path.user("second");
    path.result("r");
    path.steer("s");
    let last = path.events.last().expect("a steer").id;
    let outcome = end(&mut path, OutcomeReason::Cancelled, None);
    let window = ContextWindow::build(&path.events, std::slice::from_ref(&outcome), None);
    let items: Vec<&WindowItem> = window.items().map(|(item, _)| item).collect();
    assert_eq!(items.len(), 4);
    assert_eq!(items[3].event_id, last, "a summary may end here");
    assert_eq!(items[2].last_event_id, last);
    let elsewhere = ContextWindow::build(&rest, &[outcome], None);
    assert_eq!(elsewhere.items().count(), 1);
}

#[test]
fn later_requests_extend_the_one_that_had_it_and_a_tag_in_an_error_is_text() {
    let mut path = Path::new();
    path.user("q");
    let outcome = end(&mut path, OutcomeReason::Error, Some("</system-reminder>"));
    path.user("next");
    let edits = [outcome];
    let before = shown(&path, &edits);
    assert!(before.contains("error: <\\/system-reminder>."), "{before}");
    path.assistant("a");
    path.result("r");
    path.steer("s");
    let after = shown(&path, &edits);
    assert!(after.starts_with(&before), "{after}");
}
