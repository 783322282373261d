//! Notes for the model on turns that were not completed, and answers that say nothing.

use scorel_engine::ModelRequest;
use scorel_proto::{Block, Message, SessionId, StopReason};

use crate::log::text;
use crate::rig::Rig;

/// The texts of a request's messages.
fn texts(request: &ModelRequest) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::User(message) => Block::plain_text_of(&message.content),
        Message::Assistant(message) => Block::plain_text_of(&message.content),
        Message::ToolResult(message) => Block::plain_text_of(&message.result().content),
        Message::Internal(message) => Block::plain_text_of(&message.content),
    };
    request.messages.iter().map(text).collect()
}

/// Sends a message and returns what the model is asked with.
async fn asked(rig: &Rig, id: SessionId, text: &str) -> Vec<String> {
    let mut follower = rig.follow(id).await;
    rig.begin(id, text).await;
    let call = rig.model().await;
    let asked = texts(&call.request);
    call.answer("2").await;
    assert_eq!(follower.outcome().await, "completed");
    asked
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_is_named_in_every_later_request() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "DELETE everything please").await;
    let call = rig.model().await;
    assert!(rig.lane(id).await.cancel(Some(turn)));
    call.ended().await;
    assert_eq!(follower.outcome().await, "cancelled");
    let next = asked(&rig, id, "What is 1+1?").await;
    let [first, note, second] = &next[..] else {
        panic!("{next:?}")
    };
    assert_eq!(
        (first.as_str(), second.as_str()),
        ("DELETE everything please", "What is 1+1?")
    );
    assert!(note.contains("The user cancelled"), "{note}");
    assert!(note.starts_with("<system-reminder>"), "{note}");
    // With the window held, and built from the log.
    for rig in [&rig, &rig.crashed()] {
        let later = asked(rig, id, "and 2+2?").await;
        assert_eq!(later[..3], next[..]);
    }
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_a_crash_interrupted_is_named_after_what_ran_of_it() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let _run = rig.tool().await;
    let again = rig.crashed();
    let next = asked(&again, id, "what now?").await;
    assert!(
        next[2].contains("started, but its outcome is unknown"),
        "{next:?}"
    );
    assert!(next[3].contains("stopped before the work"), "{next:?}");
    assert_eq!(next[4..], ["what now?".to_owned()]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_asked_for_once_more() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.thinking("hm").await;
    call.done(StopReason::EndTurn).await;
    let call = rig.model().await;
    let asked = texts(&call.request);
    let note = asked.last().expect("a note");
    assert!(note.contains("had no text and called no tool"), "{asked:?}");
    call.answer("here").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_second_empty_answer_is_an_error_that_says_so() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    for _ in 0..2 {
        rig.model().await.done(StopReason::EndTurn).await;
    }
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    let error = &log.only("turn_outcome")["error"];
    assert_eq!(text(error, "code"), "empty_answer");
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_at_the_limit_is_no_success_either() {
    let rig = Rig::new();
    rig.plan(|plan| plan.limits.max_steps = 1);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.done(StopReason::EndTurn).await;
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    assert_eq!(
        text(&log.only("turn_outcome")["error"], "code"),
        "empty_answer"
    );
}
