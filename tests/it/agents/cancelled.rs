//! Cancels, stops and deletions.

use scorel_client::ClientError;
use scorel_proto::{
    AgentTaskStatus, Cancel, CancelParams, DeleteChildren, DeleteSession, DeleteSessionParams,
    ErrorCode, GetSession, GetSessionParams, ResultDelivery, SendMessage, StopRuntime,
    StopRuntimeParams,
};

use super::scene::{AGENTS, AgentScene, arguments};
use crate::under_test::{Watch, message, send, session};

fn cancel(scene: &AgentScene) -> CancelParams {
    CancelParams {
        session_id: scene.lead,
        expected_turn_id: None,
        clear_queue: None,
        children: None,
        command_id: None,
    }
}

/// Waits until a session has nothing left to do.
async fn until_idle(scene: &AgentScene, watch: &mut Watch) {
    loop {
        let described = session(&scene.client, scene.lead).await;
        if described.queue.is_empty() && described.turn_id.is_none() {
            return;
        }
        watch.until("turn_outcome").await;
    }
}

#[tokio::test]
async fn a_cancelled_turn_ends_what_it_has_spawned_and_its_results_wait_for_a_person() {
    let config = format!("{AGENTS}\n[agents.older]\ndefaultQuota = 2\n");
    let scene = AgentScene::with(&config).await;
    let earlier = ["a", "b"].map(|name| scene.parts.hold(name));
    for name in ["a", "b"] {
        let task = arguments("older", name);
        scene.parts.call("lead", "AgentSpawn", &task);
    }
    let mut watch = scene.watch().await;
    send(&scene.client, scene.lead, "[lead] Have it done.").await;
    watch.until("turn_outcome").await;
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in names {
        let task = arguments("reviewer", name);
        scene.parts.call("lead", "AgentSpawn", &task);
    }
    let running = ["one", "two", "three"].map(|name| scene.parts.hold(name));
    let lead = scene.parts.hold("lead");
    send(&scene.client, scene.lead, "And more.").await;
    for gate in earlier.iter().chain(&running).chain([&lead]) {
        gate.reached().await;
    }
    scene.client.call::<Cancel>(&cancel(&scene)).await.unwrap();
    for _ in names {
        watch.until("runtime_finished").await;
    }
    let runtimes = scene.runtimes().await;
    let statuses = runtimes.iter().map(|runtime| runtime.status);
    let expected = [
        [AgentTaskStatus::Running; 2].as_slice(),
        &[AgentTaskStatus::Interrupted; 6],
    ];
    assert_eq!(statuses.collect::<Vec<_>>(), expected.concat());
    let described = session(&scene.client, scene.lead).await;
    assert!(described.queue_paused, "no turn starts by itself");
    assert_eq!((described.queue.len(), described.turn_id), (6, None));
    for gate in &earlier {
        gate.open();
        watch.until("runtime_finished").await;
    }
    let described = session(&scene.client, scene.lead).await;
    assert_eq!((described.queue.len(), described.turn_id), (8, None));

    let params = message(scene.lead, "Go on.");
    scene.client.call::<SendMessage>(&params).await.unwrap();
    until_idle(&scene, &mut watch).await;
    let log = scene.log();
    let users = log
        .iter()
        .filter(|record| record["message"]["role"] == "user");
    let are_results: Vec<bool> = users
        .skip(2)
        .map(|record| record["message"]["meta"]["runtimeId"].is_string())
        .collect();
    assert_eq!(
        are_results,
        [[true; 8].as_slice(), &[false]].concat(),
        "results come first"
    );
    for name in ["four", "five", "six"] {
        assert_eq!(scene.parts.requests_of(name), 0, "{name} never began");
    }
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
        assert_eq!(runtime.status, AgentTaskStatus::Interrupted);
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
    let deliver = ResultDelivery::Turn;
    let spawned = scene.spawn_as("developer", "one", None, deliver).await;
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
        assert_eq!(error.code, ErrorCode::AgentTaskBusy);
        let kind = if id == scene.lead {
            "runtimes"
        } else {
            "runtime"
        };
        assert_eq!(error.details["kind"], kind);
    }
    let params = delete(scene.lead, Some(DeleteChildren::Delete));
    scene.client.call::<DeleteSession>(&params).await.unwrap();
    for session_id in [scene.lead, spawned.session_id] {
        let params = GetSessionParams { session_id };
        let gone = scene.client.call::<GetSession>(&params).await;
        assert!(gone.is_err(), "{session_id} is still there");
    }
    assert_eq!(scene.parts.order(), ["one"], "the result has begun no turn");
}
