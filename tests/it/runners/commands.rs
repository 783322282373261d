//! Plain commands as runners.

use scorel_proto::{SendMessage, SendMessageParams};
use scorel_testkit::{ModelServer, ScriptedChat};
use serde_json::Value;

use super::{answer_of, cancel, only, send_to};
use crate::under_test::{Watch, connect, daemon, message, new_session};

/// Repeats its prompt.
const ECHO: &str = r#"
[runners.echo]
type = "command"
command = ["/bin/sh", "-c", "echo was told:; cat"]
trustOwn = true
"#;

fn answer(text: &str) -> ScriptedChat {
    ScriptedChat::default().text(text).finish("stop")
}

#[tokio::test]
async fn engine_and_runner_take_turns_and_know_what_the_other_said() {
    let model = ModelServer::start().await.unwrap();
    model.answer(answer("one"));
    model.answer(answer("three"));
    let daemon = daemon(&model, ECHO).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "scorel", "first").await;
    watch.until("turn_outcome").await;

    send_to(&client, id, "echo", "second").await;
    let events = watch.until("turn_outcome").await;
    let start = only(&events, "runner_start");
    assert_eq!(
        (&start["runner"], &start["context"]),
        (&"echo".into(), &"new".into())
    );
    assert!(start["handover"]["blob"].is_string(), "{start}");
    let exit = only(&events, "runner_exit");
    assert_eq!((&exit["code"], &exit["kept"]), (&0.into(), &false.into()));
    assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
    let said = answer_of(&events);
    assert_eq!(said["message"]["meta"]["runner"]["name"], "echo");
    let text = said["message"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("[user]\nfirst") && text.contains("[agent]\none"),
        "{text}"
    );
    assert_eq!(text.matches("second").count(), 1, "{text}");

    send_to(&client, id, "scorel", "third").await;
    watch.until("turn_outcome").await;
    let requests = model.requests();
    let last = String::from_utf8_lossy(&requests.last().unwrap().body).into_owned();
    assert!(
        last.contains("was told:") && last.contains("third"),
        "{last}"
    );
}

#[tokio::test]
async fn a_runner_that_never_asks_is_refused_where_the_user_wants_to_be_asked() {
    let model = ModelServer::start().await.unwrap();
    let config = ECHO.replace("trustOwn = true\n", "");
    let daemon = daemon(&model, &config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "echo", "go").await;
    let events = watch.until("turn_outcome").await;
    let outcome = only(&events, "turn_outcome");
    assert_eq!(outcome["error"]["code"], "runner_unsuitable", "{outcome}");
    let hint = outcome["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("trustOwn"), "{hint}");
}

#[tokio::test]
async fn an_unknown_runner_is_refused_with_the_nearest_name() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, ECHO).await;
    let (client, id) = new_session(&daemon).await;
    let params = SendMessageParams {
        runner: Some("codx".to_owned()),
        ..message(id, "go")
    };
    let error = client.call::<SendMessage>(&params).await.unwrap_err();
    assert!(
        error.to_string().contains("did you mean `codex`?"),
        "{error}"
    );
}

#[tokio::test]
async fn a_killed_daemon_leaves_one_end_for_each_start_and_the_next_turn_runs() {
    let model = ModelServer::start().await.unwrap();
    let config = ECHO.replace("cat\"]", "echo begun; exec sleep 600\"]");
    let mut daemon = daemon(&model, &config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "echo", "go").await;
    watch.until("text_delta").await;
    daemon.kill().await;
    daemon.configure_more("");
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, id).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "interrupted");
    let exit = only(&events, "runner_exit");
    assert!(exit["code"].is_null() && exit["signal"].is_null(), "{exit}");
    let text = answer_of(&events)["message"]["content"][0]["text"].clone();
    assert!(text.as_str().unwrap().contains("was told:"), "{text}");
    model.answer(answer("back"));
    send_to(&client, id, "scorel", "and now?").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
}

/// A result above 64 KiB: its beginning is in the log, all of it in a blob.
#[tokio::test]
async fn a_large_result_of_a_call_becomes_a_blob() {
    let model = ModelServer::start().await.unwrap();
    let config = r#"
[runners.lister]
type = "command"
output = "events"
trustOwn = true
command = ["/bin/bash", "-c", """
    say() { echo "{\\"type\\": \\"claude_message\\", \\"messageType\\": \\"$1\\", \\"raw\\": {\\"message\\": {\\"content\\": [$2]}}}"; }
    say assistant '{"type": "tool_use", "id": "c", "name": "List", "input": {}}'
    printf -v long '%*s' 70000 ''
    say user "{\\"type\\": \\"tool_result\\", \\"tool_use_id\\": \\"c\\", \\"content\\": \\"begin$long\\"}"
"""]
"#;
    let daemon = daemon(&model, config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "lister", "go").await;
    let events = watch.until("turn_outcome").await;
    let is_result = |event: &&Value| event["message"]["role"] == "tool_result";
    let result = events.iter().find(is_result).expect("a result");
    let block = &result["message"]["content"][0]["content"][0];
    assert_eq!(
        (&block["type"], &block["size"]),
        (&"blob".into(), &70_005.into()),
        "{block}"
    );
    let preview = block["preview"].as_str().unwrap();
    assert!(preview.starts_with("begin") && preview.len() < 20_000);
}

/// One that never pauses is cancelled as well.
#[tokio::test]
async fn a_flood_of_text_is_cancelled() {
    let model = ModelServer::start().await.unwrap();
    // Without text of its own, which no subscriber could take that fast.
    let config = r#"
[runners.echo]
type = "command"
output = "events"
trustOwn = true
cancelSeconds = 1
command = ["/bin/sh", "-c", """
    echo '{"type": "text", "text": "begun", "delta": true}'
    exec yes '{"type": "text", "text": "", "delta": true}'
"""]
"#;
    let daemon = daemon(&model, config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "echo", "go").await;
    watch.until("text_delta").await;
    cancel(&client, id).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "cancelled");
}

/// A limit that cannot be kept ends the turn before anything is started.
#[tokio::test]
async fn a_runner_without_a_price_does_not_run_where_a_cost_is_limited() {
    let model = ModelServer::start().await.unwrap();
    let config = format!("{ECHO}[runtime]\nmaxTurnCost = 1.0\n");
    let daemon = daemon(&model, &config).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "echo", "go").await;
    let events = watch.until("turn_outcome").await;
    let outcome = only(&events, "turn_outcome");
    assert_eq!(outcome["reason"], "limit", "{outcome}");
    assert_eq!(outcome["error"]["code"], "cost_unknown", "{outcome}");
    assert!(!events.iter().any(|event| event["type"] == "runner_start"));
}
