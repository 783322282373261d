//! How many run at once, and in which order.

use scorel_proto::{QuotaPolicy, QuotaSource, QuotaStrategy, ResultDelivery, RuntimeStatus};
use serde_json::Value;

use super::scene::AgentScene;

/// The most runtimes that ran at once, by the records of the session that gave the tasks.
fn most_at_once(log: &[Value]) -> usize {
    let (mut running, mut most) = (std::collections::BTreeSet::new(), 0);
    for record in log {
        let Some(id) = record["runtimeId"].as_str() else {
            continue;
        };
        match record["status"].as_str() {
            Some("running" | "waiting_input") => running.insert(id.to_owned()),
            Some("completed" | "failed" | "interrupted") => running.remove(id),
            _ => false,
        };
        most = most.max(running.len());
    }
    most
}

#[tokio::test]
async fn with_a_quota_of_one_tasks_run_one_after_the_other_as_they_were_spawned() {
    let scene = AgentScene::new().await;
    let names: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    let first = scene.parts.hold(&names[0]);
    let mut ids = Vec::new();
    for name in &names {
        ids.push(scene.spawn("developer", name).await.runtime_id);
    }
    first.reached().await;
    let mut watch = scene.watch().await;
    // The last that was spawned is told its place in time.
    loop {
        let last = scene.runtime(ids[19]).await.runtime;
        if (last.queue_position, last.queued_count) == (Some(19), Some(19)) {
            break;
        }
        watch.until("runtime_queue_changed").await;
    }
    let second = scene.runtime(ids[1]).await.runtime;
    assert_eq!(second.status, RuntimeStatus::Queued);
    assert_eq!(second.queue_position, Some(1));
    let agent = scene.agent("developer").await;
    assert_eq!((agent.running, agent.queued), (1, 19));
    assert_eq!(agent.quota.source, QuotaSource::Default);
    first.open();
    scene.until_ended(20).await;
    assert_eq!(scene.parts.order(), names);
    assert_eq!(most_at_once(&scene.log()), 1);
    for id in ids {
        assert_eq!(
            scene.runtime(id).await.runtime.status,
            RuntimeStatus::Completed
        );
    }
    let agent = scene.agent("developer").await;
    assert_eq!((agent.running, agent.queued, agent.finished), (0, 0, 20));
}

#[tokio::test]
async fn another_quota_counts_at_once_and_ends_nothing() {
    let scene = AgentScene::new().await;
    let names: Vec<String> = (0..6).map(|number| format!("t{number}")).collect();
    let gates: Vec<_> = names.iter().map(|name| scene.parts.hold(name)).collect();
    for name in &names {
        scene.spawn("developer", name).await;
    }
    gates[0].reached().await;
    let policy = QuotaPolicy {
        project: Some(3),
        ..QuotaPolicy::default()
    };
    let agent = scene.quota("developer", policy.clone()).await;
    assert_eq!(agent.quota.effective, 3);
    assert_eq!(agent.quota.source, QuotaSource::Project);
    gates[1].reached().await;
    gates[2].reached().await;
    assert_eq!(scene.parts.requests_of("t3"), 0);
    let serial = QuotaPolicy {
        strategy: QuotaStrategy::Serial,
        ..policy
    };
    let agent = scene.quota("developer", serial).await;
    assert_eq!(agent.quota.effective, 1);
    assert_eq!(agent.quota.source, QuotaSource::Serial);
    gates[0].open();
    gates[1].open();
    scene.until_ended(2).await;
    assert_eq!(scene.parts.requests_of("t3"), 0, "one still runs");
    gates[2].open();
    gates[3].reached().await;
    for gate in &gates {
        gate.open();
    }
    scene.until_ended(6).await;
    assert_eq!(most_at_once(&scene.log()), 3);
}

#[tokio::test]
async fn a_workflow_with_a_number_of_its_own_has_a_queue_of_its_own() {
    let scene = AgentScene::new().await;
    let mut policy = QuotaPolicy::default();
    policy.workflow.insert("release".to_owned(), 2);
    scene.quota("developer", policy).await;
    let gates: Vec<_> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|name| scene.parts.hold(name))
        .collect();
    for (name, workflow) in [
        ("a", None),
        ("b", None),
        ("c", Some("release")),
        ("d", Some("release")),
        ("e", Some("release")),
    ] {
        let deliver = ResultDelivery::None;
        scene.spawn_as("developer", name, workflow, deliver).await;
    }
    for index in [0, 2, 3] {
        gates[index].reached().await;
    }
    assert_eq!(scene.parts.requests_of("b"), 0);
    assert_eq!(scene.parts.requests_of("e"), 0);
    for gate in gates {
        gate.open();
    }
    scene.until_ended(5).await;
}
