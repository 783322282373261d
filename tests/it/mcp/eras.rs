//! Servers of each era, and those that do not answer the question for it.

use serde_json::json;

use super::scene::Scene;

/// A machine under load may take longer than a turn's start waits for a greeting that is not answered, so the first turn
/// calls nothing.
async fn serves(kind: &str, starts: usize) {
    let scene = Scene::of(kind).await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    scene.until_ready().await;
    assert_eq!(scene.noted("started").len(), starts);
    assert_eq!(scene.process().await.starts, starts as u64);
    let result = scene.call(&mut talk, "echo", &json!({"text": "hi"})).await;
    assert!(result.contains("echo: hi"), "{result}");

    // The next start is greeted in the era that is known.
    let died = scene.call(&mut talk, "dies", &json!({})).await;
    assert!(
        died.contains("E_UNAVAILABLE") && died.contains("outcome is unknown"),
        "{died}"
    );
    let result = scene.call(&mut talk, "echo", &json!({"text": "ho"})).await;
    assert!(result.contains("echo: ho"), "{result}");
    assert_eq!(scene.noted("started").len(), starts + 1);
}

#[tokio::test]
async fn one_of_the_new_era_is_started_once() {
    serves("modern", 1).await;
}

#[tokio::test]
async fn one_of_the_old_era_refuses_the_question_and_is_greeted_anew() {
    serves("handshake", 2).await;
}

#[tokio::test]
async fn one_that_is_silent_before_the_greeting_is_greeted_anew() {
    serves("silent", 2).await;
}

#[tokio::test]
async fn one_that_exits_at_the_question_is_greeted_anew() {
    serves("exits", 2).await;
}

#[tokio::test]
async fn lines_for_people_are_no_failure() {
    serves("banner", 2).await;
}
