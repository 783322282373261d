//! A daemon that is killed, and the next one.

use scorel_proto::ResultDelivery;
use serde_json::Value;

use super::scene::AgentScene;

#[tokio::test]
async fn the_next_daemon_begins_what_waited_and_ends_what_ran() {
    let mut scene = AgentScene::new().await;
    let gate = scene.parts.hold("one");
    let mut ids = Vec::new();
    for name in ["one", "two", "three"] {
        let spawned = scene
            .spawn_as("developer", name, None, ResultDelivery::Turn)
            .await;
        ids.push(spawned.runtime_id);
    }
    gate.reached().await;
    scene.restart().await;
    let mut watch = scene.watch().await;
    for _ in 0..3 {
        watch.until("runtime_result_delivered").await;
    }
    let log = scene.log();
    let ends: Vec<&Value> = log
        .iter()
        .filter(|record| record["type"] == "runtime_finished")
        .map(|record| &record["finalStatus"])
        .collect();
    assert_eq!(ends, ["interrupted", "completed", "completed"]);
    for (name, requests) in [("one", 1), ("two", 1), ("three", 1)] {
        assert_eq!(scene.parts.requests_of(name), requests, "{name}");
    }
}
