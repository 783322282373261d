//! Cancels, stops and deletions.

use scorel_client::ClientError;
use scorel_proto::{
    Cancel, CancelParams, DeleteChildren, DeleteSession, DeleteSessionParams, ErrorCode,
    GetSession, GetSessionParams, ResultDelivery, RuntimeStatus, StopRuntime, StopRuntimeParams,
};

use super::scene::{AgentScene, arguments};
use crate::under_test::{send, session};

fn cancel(scene: &AgentScene) -> CancelParams {
    CancelParams {
        session_id: scene.lead,
        expected_turn_id: None,
        clear_queue: None,
        children: None,
        command_id: None,
    }
}

#[tokio::test]
async fn a_cancelled_turn_ends_what_it_has_spawned_and_its_results_wait_for_a_person() {
    let scene = AgentScene::new().await;
    let earlier = scene.parts.hold("earlier");
    scene
        .spawn_as("reviewer", "earlier", None, ResultDelivery::Turn)
        .await;
    earlier.reached().await;
    let running = scene.parts.hold("one");
    scene
        .parts
        .call("lead", "AgentSpawn", &arguments("developer", "one"));
    scene
        .parts
        .call("lead", "AgentSpawn", &arguments("developer", "two"));
    let lead = scene.parts.hold("lead");
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    running.reached().await;
    lead.reached().await;
    scene.client.call::<Cancel>(&cancel(&scene)).await.unwrap();
    watch.until("runtime_finished").await;
    watch.until("runtime_finished").await;
    let runtimes = scene.runtimes().await;
    let statuses: Vec<RuntimeStatus> = runtimes.iter().map(|runtime| runtime.status).collect();
    assert_eq!(
        statuses,
        [
            RuntimeStatus::Running,
            RuntimeStatus::Interrupted,
            RuntimeStatus::Interrupted
        ]
    );
    let described = session(&scene.client, scene.lead).await;
    assert!(described.queue_paused, "no turn starts by itself");
    assert_eq!(described.queue.len(), 2);
    earlier.open();
    watch.until("runtime_finished").await;
    let described = session(&scene.client, scene.lead).await;
    assert_eq!((described.queue.len(), described.turn_id), (3, None));
    scene.parts.answer(
        "lead",
        scorel_testkit::ScriptedChat::default()
            .text("Well.")
            .finish("stop"),
    );
    let params = crate::under_test::message(scene.lead, "Go on.");
    scene
        .client
        .call::<scorel_proto::SendMessage>(&params)
        .await
        .unwrap();
    for _ in 0..4 {
        watch.until("turn_outcome").await;
    }
    let log = scene.log();
    let users = log
        .iter()
        .filter(|record| record["message"]["role"] == "user");
    let last: Vec<bool> = users
        .skip(1)
        .map(|record| record["message"]["meta"]["runtimeId"].is_string())
        .collect();
    assert_eq!(last, [true, true, true, false], "results come first");
}

#[tokio::test]
async fn a_stopped_task_ends_at_once_if_it_waits_and_by_a_cancel_if_it_runs() {
    let scene = AgentScene::new().await;
    let gate = scene.parts.hold("one");
    let one = scene.spawn("developer", "one").await.runtime_id;
    let two = scene.spawn("developer", "two").await.runtime_id;
    gate.reached().await;
    for id in [two, one] {
        let params = StopRuntimeParams {
            runtime_id: id,
            command_id: None,
        };
        let stopped = scene.client.call::<StopRuntime>(&params).await.unwrap();
        assert!(stopped.seq.is_some());
    }
    scene.until_ended(2).await;
    for id in [one, two] {
        let runtime = scene.runtime(id).await.runtime;
        assert_eq!(runtime.status, RuntimeStatus::Interrupted);
    }
    assert_eq!(scene.parts.requests_of("two"), 0);
    let params = StopRuntimeParams {
        runtime_id: one,
        command_id: None,
    };
    let again = scene.client.call::<StopRuntime>(&params).await.unwrap();
    assert_eq!(again.seq, None, "it had ended");
}

#[tokio::test]
async fn a_session_with_open_tasks_is_deleted_with_them_or_not_at_all() {
    let scene = AgentScene::new().await;
    let gate = scene.parts.hold("one");
    let spawned = scene.spawn("developer", "one").await;
    gate.reached().await;
    let delete = |session_id, children| DeleteSessionParams {
        now: None,
        session_id,
        children,
        command_id: None,
    };
    for id in [scene.lead, spawned.session_id] {
        let refused = scene.client.call::<DeleteSession>(&delete(id, None)).await;
        let Err(ClientError::Rpc(error)) = refused else {
            panic!("{id} was deleted");
        };
        assert_eq!(error.code, ErrorCode::RuntimeBusy);
    }
    let params = delete(scene.lead, Some(DeleteChildren::Delete));
    scene.client.call::<DeleteSession>(&params).await.unwrap();
    for session_id in [scene.lead, spawned.session_id] {
        let params = GetSessionParams { session_id };
        let gone = scene.client.call::<GetSession>(&params).await;
        assert!(gone.is_err(), "{session_id} is still there");
    }
}
