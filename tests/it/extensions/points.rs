//! Programs at the points of a turn.

use scorel_proto::{Compact, CompactParams};
use serde_json::json;

use super::scene::{Scene, has, python};

const ALL_POINTS: &str =
    "[hooks.transformContext]\npoints = [\"start\", \"call\", \"trim\", \"end\"]\n";

/// Says something at each point, and denies a prompt that names a secret.
const COACH: &str = r#"
def hook_run(params):
    point = params["point"]
    note("points", [params["hook"], point, params.get("trigger"), params.get("wentOn")])
    texts = [message["text"] for message in params["messages"]]
    if point == "start" and any("secret" in text for text in texts):
        return {"decision": "deny", "reason": "it names a secret"}
    if point == "end":
        return {"decision": "goOn", "reason": "Say it again."} if params["wentOn"] == 0 else None
    return {"inject": "Told at " + point + "."}
"#;

#[tokio::test]
async fn a_program_speaks_at_each_point_of_a_turn() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|dir| python(dir, "coach", ALL_POINTS, COACH)).await;
    let mut talk = scene.talk().await;
    scene
        .call(&mut talk, "Bash", &json!({"command": "echo found"}))
        .await;
    assert_eq!(scene.model.requests().len(), 3, "it went on once");
    assert!(scene.sent(0).contains("Told at start."));
    assert!(scene.sent(1).contains("Told at call."));
    assert!(scene.sent(2).contains("Say it again."));
    let points = [
        json!(["transformContext", "start", null, null]),
        json!(["transformContext", "call", null, null]),
        json!(["transformContext", "end", null, 0]),
        json!(["transformContext", "call", null, null]),
        json!(["transformContext", "end", null, 1]),
    ];
    assert_eq!(scene.noted("coach", "points"), points);
    let log = scene.daemon.log(&talk.id.to_string());
    let told = log.iter().filter(|it| it["type"] == "custom_message");
    let kinds: Vec<_> = told.map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.len(), 4, "start, call, going on, call: {kinds:?}");
    assert!(kinds.iter().all(|kind| *kind == "hook.extension:coach"));
}

#[tokio::test]
async fn a_program_speaks_before_a_summary() {
    if !has("python3") {
        return;
    }
    let window = "contextWindow = 60000\nmaxTokens = 4000\n";
    let trim = "[hooks.transformContext]\npoints = [\"trim\"]\n";
    let scene = Scene::configured(window, |dir| python(dir, "coach", trim, COACH)).await;
    let mut talk = scene.talk().await;
    for _ in 0..3 {
        talk.turn(&scene.client, &"x".repeat(40_000)).await;
    }
    let params = CompactParams {
        session_id: talk.id,
        instructions: None,
        command_id: None,
    };
    scene.client.call::<Compact>(&params).await.unwrap();
    talk.until("compact").await;
    let point = json!(["transformContext", "trim", "manual", null]);
    assert_eq!(scene.noted("coach", "points"), [point]);
    let log = scene.daemon.log(&talk.id.to_string());
    let told = log
        .iter()
        .find(|it| it["type"] == "custom_message")
        .unwrap();
    assert!(told.to_string().contains("Told at trim."), "{told}");
}

#[tokio::test]
async fn a_program_denies_a_turn_before_a_model_reads_it() {
    if !has("python3") {
        return;
    }
    let start = "[hooks.transformContext]\n";
    let scene = Scene::with(|dir| python(dir, "coach", start, COACH)).await;
    let mut talk = scene.talk().await;
    let outcome = talk.turn(&scene.client, "The secret is 42.").await.pop();
    let error = &outcome.unwrap()["error"];
    assert_eq!(error["code"], "hook_denied", "{error}");
    assert!(error.to_string().contains("it names a secret"), "{error}");
    assert!(scene.model.requests().is_empty());
    talk.turn(&scene.client, "Go on.").await;
    assert!(!scene.sent(0).contains("secret is 42"));
    assert_eq!(
        scene.noted("coach", "points").len(),
        2,
        "start alone is usual"
    );
}

/// Takes a key out of all that is sent.
const REDACT: &str = r#"
def hook_run(params):
    found = [message for message in params["messages"] if "K3Y" in message["text"]]
    return {"edits": [{"eventId": message["eventId"], "text": "[key]"} for message in found]}
"#;

#[tokio::test]
async fn no_request_has_what_a_program_takes_out() {
    if !has("python3") {
        return;
    }
    let last = "[hooks.convertToLlm]\n";
    let scene = Scene::with(|dir| python(dir, "redact", last, REDACT)).await;
    let mut talk = scene.talk().await;
    scene
        .call(&mut talk, "Bash", &json!({"command": "printf 'K%sY' 3"}))
        .await;
    talk.turn(&scene.client, "Use K3Y.").await;
    for request in 0..3 {
        assert!(
            !scene.sent(request).contains("K3Y"),
            "{}",
            scene.sent(request)
        );
    }
    assert_eq!(scene.sent(2).matches("[key]").count(), 2);
}

#[tokio::test]
async fn a_failure_at_a_point_is_skipped_and_one_before_sending_ends_the_turn() {
    if !has("python3") {
        return;
    }
    const BROKEN: &str = "\ndef hook_run(params):\n    return {\"decision\": \"goOn\"}\n";
    let may_fail = "[hooks.transformContext]\n";
    let scene = Scene::with(|dir| python(dir, "broken", may_fail, BROKEN)).await;
    let mut talk = scene.talk().await;
    let outcome = talk.turn(&scene.client, "Go.").await.pop().unwrap();
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    for must_not in [
        "[hooks.transformContext]\nonFailure = \"fail\"\n",
        "[hooks.convertToLlm]\n",
    ] {
        let scene = Scene::with(|dir| python(dir, "broken", must_not, BROKEN)).await;
        let mut talk = scene.talk().await;
        let outcome = talk.turn(&scene.client, "Go.").await.pop().unwrap();
        let error = &outcome["error"];
        assert_eq!(error["code"], "hook_failed", "{error}");
        assert!(error.to_string().contains("extension:broken"), "{error}");
        assert!(scene.model.requests().is_empty());
    }
}
