//! Two clients that do the same with one run at once: one of them wins, and both see the same.

use std::fs;

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ErrorCode, ResumeRun, ResumeRunParams, RpcError, RunId, SendMessage, SendMessageParams,
    SessionId, StartRunResult, UpdateRun, UpdateRunParams, WhileRunning,
};
use scorel_testkit::{ResponseGate, ScriptedChat};
use serde_json::{Value, json};

use super::scene::RunScene;
use crate::under_test::{Watch, connect, message, session};

/// The one answer that is a result, and the other, which is an error.
fn decided<T>(answers: [Result<T, ClientError>; 2]) -> (T, RpcError) {
    match answers {
        [Ok(won), Err(ClientError::Rpc(lost))] | [Err(ClientError::Rpc(lost)), Ok(won)] => {
            (won, lost)
        }
        [first, second] => panic!("{:?}, {:?}", first.err(), second.err()),
    }
}

/// The records of a session, up to the phase that its turn leaves the run in.
async fn seen(client: &Connection, session: SessionId) -> Vec<Value> {
    let mut watch = Watch::from_start(client, session).await;
    let mut seen = Vec::new();
    loop {
        let event = watch.next().await;
        if event.get("prev").is_none() {
            continue;
        }
        let is_end = event["kind"] == "workflow.phase" && event["data"]["to"] == "WaitingUser";
        seen.push(event);
        if is_end && seen.iter().any(|it| it["type"] == "turn_outcome") {
            return seen;
        }
    }
}

#[tokio::test]
async fn of_two_that_take_a_run_over_one_has_it() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let other = connect(&scene.daemon.socket()).await;
    let gate = ResponseGate::new();
    let waits = ScriptedChat::default().wait(&gate).text("Yes.");
    scene.model.answer(waits.finish("stop"));
    let params = ResumeRunParams {
        run_id: started.run_id,
        new_session: Some(true),
        variables: None,
        input: None,
        command_id: None,
    };
    let (first, second) = tokio::join!(
        scene.client.call::<ResumeRun>(&params),
        other.call::<ResumeRun>(&params)
    );
    let (won, lost): (StartRunResult, RpcError) = decided([first, second]);
    assert_eq!(
        (lost.code, &lost.details["kind"]),
        (ErrorCode::Conflict, &json!("running"))
    );
    let sessions = scene.get(started.run_id).await.sessions;
    assert_eq!(sessions, [started.session_id, won.session_id]);
    gate.open();
    let (first, second) = tokio::join!(
        seen(&scene.client, won.session_id),
        seen(&other, won.session_id)
    );
    assert_eq!(first, second);
    assert_eq!(scene.told().len(), 2, "the model was asked once");
}

#[tokio::test]
async fn of_two_answers_to_one_question_one_is_for_the_run() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let other = connect(&scene.daemon.socket()).await;
    let gate = ResponseGate::new();
    let waits = ScriptedChat::default().wait(&gate).text("Yes.");
    scene.model.answer(waits.finish("stop"));
    let leaf = session(&scene.client, started.session_id)
        .await
        .active_leaf_id;
    let answer = |text: &str| SendMessageParams {
        while_running: Some(WhileRunning::Reject),
        expected_leaf_id: Some(leaf),
        ..message(started.session_id, text)
    };
    let answers = [answer("Cats."), answer("Dogs.")];
    let (first, second) = tokio::join!(
        scene.client.call::<SendMessage>(&answers[0]),
        other.call::<SendMessage>(&answers[1])
    );
    let (_, lost) = decided([first, second]);
    assert_eq!(lost.code, ErrorCode::AgentTaskBusy, "{lost:?}");
    gate.open();
    started.until("WaitingUser", "question").await;
    let told = scene.told();
    assert_eq!(told.len(), 2);
    let words = ["Cats.", "Dogs."].map(|it| usize::from(told[1].ends_with(it)));
    assert_eq!(words.iter().sum::<usize>(), 1, "{told:?}");
}

/// A person is an authority, and so are two: they come one after the other, and none is forgotten.
#[tokio::test]
async fn two_that_move_a_run_are_both_in_its_document() {
    let scene = RunScene::new().await;
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let other = connect(&scene.daemon.socket()).await;
    let goto = |run_id: RunId, node: &str| UpdateRunParams {
        run_id,
        autopilot: None,
        mode: None,
        goto: Some(node.to_owned()),
        command_id: None,
    };
    let (write, end) = (goto(started.run_id, "write"), goto(started.run_id, "end"));
    let (first, second) = tokio::join!(
        scene.client.call::<UpdateRun>(&write),
        other.call::<UpdateRun>(&end)
    );
    first.unwrap();
    second.unwrap();
    let states = scene.records(started.session_id, "workflow.state");
    let nodes: Vec<&Value> = states[1..].iter().map(|it| &it["currentNodeId"]).collect();
    assert_eq!(nodes.len(), 2);
    let text = fs::read_to_string(scene.document(started.run_id)).unwrap();
    let decisions = text
        .lines()
        .filter(|line| line.contains("\"label\":\"goto\""));
    assert_eq!(decisions.count(), 2, "{text}");
    let last = scene.get(started.run_id).await.run.node_id;
    assert_eq!(nodes[1], &json!(last));
    assert_eq!(states[2]["from"], *nodes[0]);
}
