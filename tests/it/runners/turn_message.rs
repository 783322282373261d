//! `getTurn`: a turn as one message, with what its runner logged.

use std::fs;

use scorel_client::ClientError;
use scorel_proto::{
    ErrorCode, GetTurn, GetTurnParams, RunnerLogStream, TurnId, TurnStatus, TurnSummary,
};
use scorel_testkit::ModelServer;
use serde_json::{Value, json};

use super::pipes::NamedPipe;
use super::{only, send_to};
use crate::raw::RawConnection;
use crate::under_test::{Watch, daemon, new_session};

const SCRIPT: &str = "echo first >&2; read -r _ <go; echo the answer; echo last >&2; kill -9 $$";

fn config() -> String {
    let command = json!(["/bin/bash", "-c", SCRIPT]);
    format!(
        "[runners.echo]\ntype = \"command\"\ncommand = {command}\noutput = \"text\"\ntrustOwn = true\n"
    )
}

#[tokio::test]
async fn a_turn_is_one_message_while_it_runs_and_after_a_restart() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = daemon(&model, &config()).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let mut go = NamedPipe::make(&daemon.project().join("go"));
    send_to(&client, id, "echo", "go").await;
    let begun = watch.until("runner_log").await;
    let turn_id: TurnId = only(&begun, "runner_start")["turnId"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let params = GetTurnParams {
        session_id: id,
        turn_id,
    };
    let running = client.call::<GetTurn>(&params).await.unwrap();
    assert_eq!(
        (running.trace_id, running.status),
        (turn_id, TurnStatus::Running)
    );
    assert_eq!(running.runner, "echo");
    assert_eq!(
        logged(&running),
        [(RunnerLogStream::Stderr, "first\n".to_owned())]
    );

    go.write_line().await;
    let ended = watch.until("turn_outcome").await;
    assert_eq!(only(&ended, "runner_exit")["signal"], "SIGKILL");
    daemon.kill().await;
    daemon.spawn().await;
    let client = crate::under_test::connect(&daemon.socket()).await;
    let turn = client.call::<GetTurn>(&params).await.unwrap();
    assert_eq!(turn.status, TurnStatus::Error);
    assert!(turn.error_message.is_some());
    assert_eq!(
        logged(&turn),
        [(RunnerLogStream::Stderr, "first\nlast\n".to_owned())]
    );
    let first = running.logs.texts.front().unwrap();
    let kept = turn.logs.texts.front().unwrap();
    assert_eq!(kept.id, first.id);
    assert!(kept.timestamp >= turn.started_at);
    let text: Value = serde_json::to_value(&turn).unwrap();
    assert_eq!(text["logs"][0]["stream"], "stderr");

    let unknown = GetTurnParams {
        turn_id: TurnId::generate(),
        ..params
    };
    let refused = client.call::<GetTurn>(&unknown).await;
    assert!(
        matches!(refused, Err(ClientError::Rpc(error)) if error.code == ErrorCode::InvalidParams)
    );
}

#[tokio::test]
async fn a_turn_whose_outcome_is_lost_has_the_log_of_no_other() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = daemon(&model, &config()).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let mut go = NamedPipe::make(&daemon.project().join("go"));
    for _ in 0..2 {
        send_to(&client, id, "echo", "go").await;
        watch.until("runner_log").await;
        go.write_line().await;
        watch.until("turn_outcome").await;
    }
    daemon.kill().await;
    let log = daemon.session_dir(&id.to_string()).join("events.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let outcome = text
        .lines()
        .find(|it| it.contains("\"turn_outcome\""))
        .unwrap();
    let record: Value = serde_json::from_str(outcome).unwrap();
    let turn_id: TurnId = record["turnId"].as_str().unwrap().parse().unwrap();
    let damaged = text.replace(outcome, &outcome.replace("turn_outcome", "turn_outcomE"));
    fs::write(&log, damaged).unwrap();
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let session = json!({"sessionId": id});
    let refused = raw.call("updateSession", &json!({"sessionId": id, "title": "t"}));
    let place = refused["error"]["data"]["details"]["damage"][0].clone();
    let mut accept = session.clone();
    accept["offset"] = place["offset"].clone();
    accept["length"] = place["length"].clone();
    let accepted = raw.call("acceptDamage", &accept);
    assert!(accepted["result"].is_object(), "{refused} {accepted}");

    let client = crate::under_test::connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "echo", "go").await;
    watch.until("runner_log").await;
    let params = GetTurnParams {
        session_id: id,
        turn_id,
    };
    let turn = client.call::<GetTurn>(&params).await.unwrap();
    assert_eq!(turn.status, TurnStatus::Running);
    assert_eq!(
        logged(&turn),
        [(RunnerLogStream::Stderr, "first\nlast\n".to_owned())]
    );
}

fn logged(turn: &TurnSummary) -> Vec<(RunnerLogStream, String)> {
    let entries = turn.logs.texts.iter();
    entries
        .map(|entry| (entry.stream, entry.text.clone()))
        .collect()
}
