//! Answers to questions of a runner that is not there any more.

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ErrorCode, PermissionAnswer, PermissionConflict, PermissionDecision, RespondPermission,
    RespondPermissionParams, SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::Value;

use super::double::acp;
use super::pipes::NamedPipe;
use super::scene::answer;
use super::{only, send_to};
use crate::under_test::{Watch, connect, daemon, new_session};

/// Counts its starts in `starts`. The second is never ready, nor are others up to `SLOW`. Asks about the same
/// thing each time and ends after the answer, or with its turn open after a line in `go`.
const ASKS: &str = r#"
echo >>starts
n=$(wc -l <starts)
[ "$n" -gt 1 ] && [ "$n" -le SLOW ] && exec cat >/dev/null
read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r _; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read -r _
echo '{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c'$n'","title":"rm","kind":"execute"},"options":[{"optionId":"yes","name":"n","kind":"allow_once"}]}}'
[ "$n" -gt 3 ] && read -r _ <go && exit
read -r answer; echo "$answer" >>answers
echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'
read -r _"#;

/// A session whose runner asked when the daemon was killed, and the question.
async fn asked(slow: u32) -> (DaemonUnderTest, Connection, SessionId, Value) {
    let model = ModelServer::start().await.unwrap();
    let script = ASKS.replace("SLOW", &slow.to_string());
    let mut daemon = daemon(&model, &acp("asks", &script, "startSeconds = 5")).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "asks", "go").await;
    let events = watch.until("permission_request").await;
    let question = only(&events, "permission_request").clone();
    daemon.kill().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    (daemon, client, id, question)
}

/// The recorded answer that a late one is told.
async fn recorded(client: &Connection, id: SessionId, question: &Value) -> PermissionAnswer {
    let params = RespondPermissionParams {
        session_id: id,
        request_id: serde_json::from_value(question["requestId"].clone()).unwrap(),
        decision: PermissionDecision::Deny,
        reason: None,
        command_id: None,
    };
    let Err(ClientError::Rpc(error)) = client.call::<RespondPermission>(&params).await else {
        panic!("it is refused")
    };
    assert_eq!(error.code, ErrorCode::Conflict);
    match serde_json::from_value(error.details).unwrap() {
        PermissionConflict::Answered { answer } => answer,
        PermissionConflict::NotOpen => panic!("the answer is not told"),
    }
}

#[tokio::test]
async fn an_answer_reaches_a_runner_whose_first_start_after_it_is_too_slow() {
    let (daemon, client, id, question) = asked(2).await;
    let mut watch = Watch::from_start(&client, id).await;
    answer(&client, id, &question, PermissionDecision::Once).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
    only(&events, "permission_request");
    let answers = std::fs::read_to_string(daemon.project().join("answers")).unwrap();
    assert!(answers.contains("\"yes\""), "{answers}");
}

#[tokio::test]
async fn an_answer_that_reaches_no_runner_is_told_and_a_later_one_is_refused() {
    let (daemon, client, id, question) = asked(3).await;
    let mut go = NamedPipe::make(&daemon.project().join("go"));
    let mut watch = Watch::from_start(&client, id).await;
    answer(&client, id, &question, PermissionDecision::Once).await;
    let events = watch.until("turn_outcome").await;
    let error = &only(&events, "turn_outcome")["error"];
    assert_eq!(error["code"], "runner_stalled");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("your answer has not reached it"), "{hint}");
    let answered = recorded(&client, id, &question).await;
    assert_eq!(answered.decision.decision, PermissionDecision::Once);

    send_to(&client, id, "asks", "again").await;
    let events = watch.until("permission_request").await;
    let question = only(&events, "permission_request").clone();
    go.write_line().await;
    watch.until("turn_outcome").await;
    let answered = recorded(&client, id, &question).await;
    assert_eq!(answered.decision.decision, PermissionDecision::Cancelled);
}
