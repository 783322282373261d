//! How many run at once, and in which order.

use scorel_proto::{AgentTaskStatus, QuotaPolicy, QuotaSource, QuotaStrategy, ResultDelivery};
use serde_json::Value;
use tokio::time::timeout;

use super::scene::AgentScene;
use crate::under_test::PATIENCE;

/// How many runtimes ran when each of them had begun, by the records of the session that gave the tasks.
fn running_at_starts(log: &[Value]) -> Vec<usize> {
    let (mut running, mut starts) = (std::collections::BTreeSet::new(), Vec::new());
    for record in log {
        let Some(id) = record["runtimeId"].as_str() else {
            continue;
        };
        match record["status"].as_str() {
            Some("running" | "waiting_input") if running.insert(id.to_owned()) => {
                starts.push(running.len());
            }
            Some("completed" | "failed" | "interrupted") => {
                running.remove(id);
            }
            _ => {}
        }
    }
    starts
}

/// The most runtimes that ran at once.
fn most_at_once(log: &[Value]) -> usize {
    running_at_starts(log).into_iter().max().unwrap_or_default()
}

#[tokio::test]
async fn with_a_quota_of_one_tasks_run_one_after_the_other_as_they_were_spawned() {
    let scene = AgentScene::new().await;
    let names: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    let gates: Vec<_> = names.iter().map(|name| scene.parts.hold(name)).collect();
    let mut ids = Vec::new();
    for name in &names {
        ids.push(scene.spawn("developer", name).await.runtime_id);
    }
    gates[0].reached().await;
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
    assert_eq!(second.status, AgentTaskStatus::Queued);
    assert_eq!(second.queue_position, Some(1));
    let agent = scene.agent("developer").await;
    assert_eq!((agent.running, agent.queued), (1, 19));
    assert_eq!(agent.quota.source, QuotaSource::Default);
    for (index, gate) in gates.iter().enumerate() {
        gate.reached().await;
        assert_eq!(scene.parts.order(), names[..=index], "one asks its model");
        gate.open();
    }
    scene.until_ended(20).await;
    assert_eq!(most_at_once(&scene.log()), 1);
    for id in ids {
        assert_eq!(
            scene.runtime(id).await.runtime.status,
            AgentTaskStatus::Completed
        );
    }
    // A record is published before the schedule learns of it.
    let settled = async {
        loop {
            let agent = scene.agent("developer").await;
            if (agent.running, agent.queued, agent.finished) == (0, 0, 20) {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, settled).await.expect("all have finished");
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
async fn each_of_the_eight_policies_is_in_force_as_soon_as_it_is_set() {
    let scene = AgentScene::with("[agents.developer]\ndefaultQuota = 2\n").await;
    let policy = |workflow: Option<u32>, project, strategy| QuotaPolicy {
        project,
        workflow: workflow
            .map(|number| ("release".to_owned(), number))
            .into_iter()
            .collect(),
        strategy,
    };
    let serial = QuotaStrategy::Serial;
    let concurrent = QuotaStrategy::Concurrent;
    scene.quota("developer", policy(None, None, serial)).await;
    let names: Vec<String> = (0..8).map(|number| format!("t{number}")).collect();
    let gates: Vec<_> = names.iter().map(|name| scene.parts.hold(name)).collect();
    for name in &names {
        let (workflow, deliver) = (Some("release"), ResultDelivery::None);
        scene.spawn_as("developer", name, workflow, deliver).await;
    }
    for (workflow, project, strategy, effective) in [
        (None, None, serial, 1),
        (None, Some(3), serial, 1),
        (Some(4), None, serial, 1),
        (Some(4), Some(3), serial, 1),
        (None, None, concurrent, 2),
        (None, Some(3), concurrent, 3),
        (Some(4), None, concurrent, 4),
        (Some(4), Some(3), concurrent, 4),
    ] {
        let policy = policy(workflow, project, strategy);
        scene.quota("developer", policy).await;
        for gate in &gates[..effective] {
            gate.reached().await;
        }
        let running = scene.agent("developer").await.running as usize;
        assert_eq!(running, effective);
        assert_eq!(most_at_once(&scene.log()), effective);
    }

    let lowered = policy(Some(4), Some(3), serial);
    scene.quota("developer", lowered).await;
    for (ended, gate) in (1..).zip(&gates[..3]) {
        gate.open();
        scene.until_ended(ended).await;
    }
    for pair in gates[3..].windows(2) {
        pair[0].open();
        pair[1].reached().await;
    }
    gates[7].open();
    scene.until_ended(8).await;
    let starts = running_at_starts(&scene.log());
    assert_eq!(starts, [1, 2, 3, 4, 1, 1, 1, 1]);
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
