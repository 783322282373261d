//! The answers of commands at each point.

use serde_json::Value;

use super::{daemon, hook, runs, says, sent, turn};
use crate::under_test::{Watch, new_session, send};

#[tokio::test]
async fn a_prompt_is_reminded_of_something_and_a_bad_one_is_denied() {
    let remind = hook("remind", "UserPromptSubmit", "echo Answer in verse.");
    let guard =
        r#"grep -q '"prompt":"[^"]*secret' && { echo 'it names a secret' >&2; exit 2; }; exit 0"#;
    let hooks = remind + &hook("guard", "UserPromptSubmit", guard);
    let (daemon, model) = daemon(&hooks, vec![says("Roses.")]).await;
    let (id, outcome) = turn(&daemon, "What is red?").await;
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert!(sent(&model, 0).contains("Answer in verse."));
    let log = daemon.log(&id.to_string());
    let told = log
        .iter()
        .find(|it| it["type"] == "custom_message")
        .unwrap();
    assert_eq!(told["kind"], "hook.remind");
    let (id, outcome) = turn(&daemon, "The secret is 42.").await;
    assert_eq!(outcome["error"]["code"], "hook_denied", "{outcome}");
    let message = outcome["error"]["message"].as_str().unwrap();
    assert!(message.contains("it names a secret"), "{message}");
    assert_eq!(model.requests().len(), 1, "no model has read it");
    let log = daemon.log(&id.to_string());
    assert!(log.iter().any(|it| it["type"] == "context_edit"));
}

#[tokio::test]
async fn the_session_starts_once_and_later_calls_are_points_as_well() {
    let start = hook("start", "SessionStart", "echo You are in a test.");
    let call = hook(
        "call",
        "transformContext",
        r#"echo '{"hookSpecificOutput": {"additionalContext": "Look twice."}}'"#,
    ) + "points = ['call']\n[permissions]\nmode = 'full'\n";
    let answers = vec![runs("echo found"), says("Done."), says("Again.")];
    let (daemon, model) = daemon(&(start + &call), answers).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    for text in ["Look.", "And again."] {
        send(&client, id, text).await;
        watch.until("turn_outcome").await;
    }
    assert!(sent(&model, 0).contains("You are in a test."));
    assert!(!sent(&model, 0).contains("Look twice."));
    assert!(sent(&model, 1).contains("Look twice."));
    assert_eq!(sent(&model, 2).matches("You are in a test.").count(), 1);
    let results = model.requests()[1].json()["messages"].clone();
    let result = results.as_array().unwrap().last().unwrap().clone();
    assert_eq!(result["role"], "tool", "it is part of the result: {result}");
    assert!(result.to_string().contains("Look twice."));
}

/// Takes the place of each message with the key in it.
const REDACT: &str = r#"ids=$(tr '{' '\n' | sed -n 's/.*"eventId":"\(evt_[0-9A-Z]*\)".*K3Y.*/\1/p')
[ -z "$ids" ] && exit 0
printf '{"hookSpecificOutput": {"edits": ['
for id in $ids; do printf '%s{"eventId": "%s", "text": "[a key was here]"}' "$comma" "$id"; comma=,; done
printf ']}}'"#;

#[tokio::test]
async fn no_request_has_what_a_hook_takes_out() {
    let hooks = hook("redact", "convertToLlm", REDACT) + "[permissions]\nmode = 'full'\n";
    let answers = vec![runs("echo K3Y"), says("Done.")];
    let (daemon, model) = daemon(&hooks, answers).await;
    let (id, outcome) = turn(&daemon, "Use K3Y.").await;
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert_eq!(model.requests().len(), 2);
    for request in 0..2 {
        let sent: Value = serde_json::from_str(&sent(&model, request)).unwrap();
        let all = sent.as_array().unwrap().iter();
        let read: Vec<String> = all
            .filter(|message| message["role"] != "assistant")
            .map(Value::to_string)
            .collect();
        assert!(!read.concat().contains("K3Y"), "{read:?}");
        assert!(read.concat().contains("[a key was here]"), "{read:?}");
    }
    let log = daemon.log(&id.to_string());
    assert!(log.iter().any(|it| it.to_string().contains("Use K3Y.")));
}

#[tokio::test]
async fn nothing_is_sent_that_a_hook_could_not_look_at() {
    let hooks = hook("redact", "convertToLlm", "echo broken >&2; exit 1");
    let (daemon, model) = daemon(&hooks, vec![says("Done.")]).await;
    let (_, outcome) = turn(&daemon, "Go.").await;
    assert_eq!(outcome["error"]["code"], "hook_failed", "{outcome}");
    assert!(outcome.to_string().contains("redact"), "{outcome}");
    assert!(model.requests().is_empty());
}
