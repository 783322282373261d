//! Two clients of one orchestrator, one of which shows one session at a time.

use scorel_proto::{
    AgentTaskStatus, Binding, BoundContext, EncodedEvent, GetEvents, GetEventsParams,
    GetRuntimeResult, HostEvent,
};
use scorel_testkit::SeededDice;

use super::bound_client::BoundClient;
use super::scene::{AgentScene, done, open};
use crate::under_test::{Watch, session};

#[tokio::test]
async fn a_client_shows_the_orchestrator_then_what_it_selects_and_the_orchestrator_again() {
    let scene = AgentScene::new().await;
    let mut bound = BoundClient::new(&scene).await;
    let default = open(&bound.connection, scene.project).await;
    assert_eq!(bound.binding.session(), Some(default));

    let mut tasks = Vec::new();
    for name in ["one", "two"] {
        let gate = scene.parts.hold(name);
        let spawned = scene.spawn("reviewer", name).await;
        gate.reached().await;
        tasks.push((spawned, gate));
    }
    for (spawned, _) in &tasks {
        let mut other = Watch::from_start(&scene.client, spawned.session_id).await;
        bound.select(spawned.runtime_id).await;
        assert_eq!(bound.binding.session(), Some(spawned.session_id));
        bound.send("And the tests?").await;
        other.until("queue_update").await;
    }

    let (one, two) = (tasks[0].0.runtime_id, tasks[1].0.runtime_id);
    tasks[0].1.open();
    bound.until(one, AgentTaskStatus::Completed).await;
    let selected = BoundContext::Runtime(two);
    assert_eq!(bound.binding.selected(), selected, "another one has ended");
    tasks[1].1.open();
    bound.until(two, AgentTaskStatus::Completed).await;
    assert_eq!(bound.binding.selected(), BoundContext::Orchestrator);
    bound.send("[lead] What is done?").await;
    scene.watch().await.until("turn_outcome").await;

    for (id, name) in [(one, "one"), (two, "two")] {
        assert!(!bound.binding.select(id), "history is read, not selected");
        let runtime = scene.runtime(id).await;
        assert_eq!(
            history(&scene, &runtime).await,
            2,
            "the task and what was sent"
        );
        assert_eq!(runtime.result.unwrap().last_message, done(name));
    }
}

/// How many messages people and the daemon have sent to the session of a runtime.
async fn history(scene: &AgentScene, runtime: &GetRuntimeResult) -> usize {
    let params = GetEventsParams {
        session_id: runtime.runtime.session_id.unwrap(),
        after_seq: None,
        before_seq: None,
        limit: None,
        kinds: None,
    };
    let read = scene.client.call::<GetEvents>(&params).await.unwrap();
    let events = read.events.iter().map(EncodedEvent::text);
    events
        .filter(|event| event.contains("\"role\":\"user\""))
        .count()
}

#[tokio::test]
async fn a_client_that_missed_the_end_shows_the_orchestrator_once_it_is_back() {
    let scene = AgentScene::new().await;
    let mut bound = BoundClient::new(&scene).await;
    let gate = scene.parts.hold("one");
    let spawned = scene.spawn("developer", "one").await;
    bound.select(spawned.runtime_id).await;
    gate.reached().await;
    gate.open();
    scene.until_ended(1).await;
    bound.resubscribe().await;
    assert_eq!(bound.binding.session(), Some(scene.lead));
    let described = session(&scene.client, scene.lead).await;
    assert_eq!(described.runtimes.unwrap().open, 0);
}

#[tokio::test]
async fn the_order_of_what_a_client_is_told_does_not_matter() {
    let scene = AgentScene::new().await;
    let mut bound = BoundClient::new(&scene).await;
    let ended = scene.parts.hold("ended");
    let running = scene.parts.hold("open");
    let first = scene.spawn("reviewer", "ended").await.runtime_id;
    let second = scene.spawn("reviewer", "open").await.runtime_id;
    running.reached().await;
    bound.until(second, AgentTaskStatus::Running).await;
    ended.open();
    bound.until(first, AgentTaskStatus::Completed).await;

    let session_id = scene.runtime(second).await.runtime.session_id;
    let mut dice = SeededDice::for_test("agents::bindings");
    for _ in 0..1_000 {
        let mut told: Vec<&HostEvent> = bound.seen.iter().skip(1).collect();
        let mut shuffled = Binding::new(scene.project);
        shuffled.apply(&bound.seen[0]);
        while !told.is_empty() {
            let event = told.swap_remove(dice.index(0..told.len()));
            shuffled.apply(event);
            shuffled.apply(event);
        }
        assert!(!shuffled.select(first), "it has ended");
        assert!(shuffled.select(second), "it runs");
        assert_eq!(shuffled.session(), session_id);
    }
    running.open();
    scene.until_ended(2).await;
}
