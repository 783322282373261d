//! The records of a run's model calls, after crashes.

use std::fs;

use scorel_proto::{PermissionDecision, RespondPermission, RespondPermissionParams, SessionId};
use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use super::scene::{RunScene, said, write_package};
use crate::under_test::{Watch, connect};

const KIND: &str = "workflow.engine_turn";

/// A run whose first turn asks a person whether a file may be written.
async fn asking(scene: &RunScene) -> (SessionId, RespondPermissionParams) {
    let input = json!({"path": "new.txt", "content": "x"}).to_string();
    let asks = ScriptedChat::default().tool_call("call_1", "Write", &input);
    scene.model.answer(asks.finish("tool_calls"));
    let started = scene.start().await;
    let mut watch = Watch::from_start(&scene.client, started.session_id).await;
    let events = watch.until("permission_request").await;
    let request_id = &events.last().unwrap()["requestId"];
    let denied = RespondPermissionParams {
        session_id: started.session_id,
        request_id: request_id.as_str().unwrap().parse().unwrap(),
        decision: PermissionDecision::Deny,
        reason: None,
        command_id: None,
    };
    (started.session_id, denied)
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_during_a_crash_is_recorded_once_its_tools_have_run() {
    let mut scene = RunScene::configured("[permissions]\nask = [\"Write(**)\"]\n").await;
    write_package(&scene.installed(), "1.0.0");
    let (session, denied) = asking(&scene).await;
    assert!(
        scene.records(session, KIND).is_empty(),
        "its tool has no result"
    );
    scene.kill().await;
    scene.model.answer(said("Then not."));
    let mut watch = Watch::from_start(&scene.client, session).await;
    scene.call::<RespondPermission>(&denied).await;
    watch.until("turn_outcome").await;
    let mut records = scene.records(session, KIND);
    while records.len() < 2 {
        watch.until("custom").await;
        records = scene.records(session, KIND);
    }
    let field = |name: &str| -> Vec<Value> { records.iter().map(|it| it[name].clone()).collect() };
    assert_eq!(field("id"), ["C01", "C02"]);
    assert_eq!(field("turnIndex"), [0, 1]);
    assert_eq!(field("phaseAfter"), [Value::Null, json!("WaitingUser")]);
    let log = scene.daemon.log(&session.to_string());
    let place = |is_it: &dyn Fn(&Value) -> bool| log.iter().position(is_it).unwrap();
    let result = place(&|it| it["message"]["role"] == "tool_result");
    assert!(
        result < place(&|it| it["kind"] == KIND),
        "behind the results of its tools"
    );
}

#[tokio::test]
async fn a_call_whose_daemon_ends_behind_the_outcome_is_recorded_by_the_next_one() {
    let mut scene = RunScene::new().await;
    let (run, session) = {
        let mut started = scene.start().await;
        started.until("WaitingUser", "question").await;
        (started.run_id, started.session_id)
    };
    assert!(scene.daemon.stop().await.success());
    let records = scene.records(session, KIND);
    assert_eq!(records.len(), 1);
    let path = scene.daemon.log_path(&session.to_string());
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap();
    assert!(last.contains(KIND), "{last}");
    fs::write(&path, &text[..text.len() - last.len() - 1]).unwrap();
    // It covers the log as it was.
    fs::remove_file(path.with_file_name("checkpoint")).ok();
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    for daemon in ["the next", "the one after it"] {
        scene.get(run).await;
        Watch::from_start(&scene.client, session).await;
        assert_eq!(scene.records(session, KIND), records, "{daemon}");
        scene.kill().await;
    }
}
