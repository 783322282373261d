//! The tools of a server, and their results.

use serde_json::json;

use super::scene::Scene;
use crate::under_test::send;

#[tokio::test]
async fn all_pages_are_offered_and_a_broken_schema_costs_its_tool() {
    let scene = Scene::configured("modern", "deny = [\"sec*\"]").await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let offered = scene.offered();
    assert_eq!(offered.len(), 10, "{offered:?}");
    assert!(offered.is_sorted());
    assert!(offered.contains(&"mcp__fake__structured".to_owned()));
}

#[tokio::test]
async fn results_of_each_kind_reach_the_model() {
    let scene = Scene::configured("modern", "secretEnv = { KEY = \"KEY\" }").await;
    let mut talk = scene.talk().await;
    let none = json!({});
    for (tool, told) in [
        ("structured", "42"),
        ("asks", "E_INPUT_REQUIRED"),
        ("fails", "it went wrong"),
        ("secret", "key [secret KEY]"),
    ] {
        let result = scene.call(&mut talk, tool, &none).await;
        assert!(result.contains(told), "{tool}: {result}");
    }
    let misfit = scene.call(&mut talk, "echo", &json!({"text": 1})).await;
    assert!(misfit.contains("text"), "{misfit}");
    let notes = scene.noted("method");
    let calls = notes.iter().filter(|it| it["method"] == "tools/call");
    assert_eq!(calls.count(), 4, "what does not fit is not called");
    let split = scene.call(&mut talk, "secret", &none).await;
    let key = scene.secret();
    assert!(!split.contains(&key[6..]), "in two texts: {split}");
    let picture = scene.call(&mut talk, "picture", &none).await;
    assert!(!picture.contains("E_"), "{picture}");
}

#[tokio::test]
async fn a_changed_list_is_offered_once_tools_are_renewed() {
    // It says so, says so once it was asked to, or lists for a millisecond.
    for kind in ["modern", "handshake", "listens", "brief"] {
        let scene = Scene::of(kind).await;
        let mut talk = scene.talk().await;
        scene.call(&mut talk, "grows", &json!({})).await;
        let before = scene.offered().len();
        talk.turn(&scene.client, "again").await;
        assert_eq!(scene.offered().len(), before);
        scene.refresh(&talk).await;
        talk.turn(&scene.client, "once more").await;
        let offered = scene.offered();
        assert_eq!(offered.len(), before + 1, "{kind}: {offered:?}");
        assert!(offered.contains(&"mcp__fake__new".to_owned()));
        assert_eq!(
            scene.noted("started").len(),
            scene.process().await.starts as usize
        );
    }
}

#[tokio::test]
async fn a_tool_that_says_that_it_only_reads_runs_unasked_once_the_user_believes_it() {
    for (keys, asks) in [("", true), ("trustReadOnly = true", false)] {
        let scene = Scene::in_mode("ask", "modern", keys).await;
        let mut talk = scene.talk().await;
        scene.will_call("echo", &json!({"text": "hi"}));
        send(&scene.client, talk.id, "go on").await;
        let awaited = if asks {
            "permission_request"
        } else {
            "turn_outcome"
        };
        let seen = talk.until(awaited).await;
        let asked = seen.iter().any(|it| it["type"] == "permission_request");
        assert_eq!(asked, asks, "{keys}");
    }
}

#[tokio::test]
async fn an_answer_that_is_too_long_costs_its_call_only() {
    let scene = Scene::of("modern").await;
    let mut talk = scene.talk().await;
    let result = scene.call(&mut talk, "long", &json!({})).await;
    assert!(
        result.contains("E_TOOL_FAILED") && result.contains("too long"),
        "{result}"
    );
    let result = scene.call(&mut talk, "echo", &json!({"text": "hi"})).await;
    assert!(result.contains("echo: hi"), "{result}");
    assert_eq!(scene.process().await.starts, 1);
}

#[tokio::test]
async fn a_lost_call_is_made_once_more_if_the_user_believes_that_it_only_reads() {
    for (keys, calls) in [("", 1), ("trustReadOnly = true", 2)] {
        let scene = Scene::configured("modern", keys).await;
        let mut talk = scene.talk().await;
        let result = scene.call(&mut talk, "dies", &json!({})).await;
        assert!(result.contains("outcome is unknown"), "{result}");
        let notes = scene.noted("method");
        let made = notes.iter().filter(|it| it["method"] == "tools/call");
        assert_eq!(made.count(), calls, "{keys}");
    }
}

#[tokio::test]
async fn a_secret_in_a_description_and_in_an_error_is_masked() {
    let scene = Scene::configured("tells", "secretEnv = { KEY = \"KEY\" }").await;
    let mut talk = scene.talk().await;
    let error = scene.call(&mut talk, "fails", &json!({})).await;
    assert!(error.contains("no access with [secret KEY]"), "{error}");
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("The tool echo.[secret KEY]"), "{body}");
    assert!(!body.contains(&scene.secret()));
}
