//! Daemons that are killed while they start a run.

use std::fs;
use std::time::Duration;

use scorel_proto::{ClientId, ListRuns, ListRunsParams, StartRun, StartRunParams};
use scorel_testkit::SeededDice;
use tokio::time::timeout;

use super::scene::RunScene;
use crate::under_test::Watch;

/// More than a start takes.
const LIFETIME: Duration = Duration::from_millis(60);

fn kills() -> usize {
    match std::env::var_os("SCOREL_LONG") {
        Some(_) => 100,
        None => 6,
    }
}

/// The command is repeated by its client until it is answered, as clients do, and each daemon but the last dies.
#[tokio::test]
async fn a_start_that_is_killed_is_completed_by_its_repetition() {
    let mut dice = SeededDice::for_test("killed_starts");
    let mut scene = RunScene::new().await;
    let client = ClientId::generate();
    let plan = scene.plan().await;
    for kill in 1..=kills() {
        let params = StartRunParams {
            command_id: Some(format!("start-{kill}").parse().unwrap()),
            ..plan.clone()
        };
        scene.client.hello(Some(client)).await.unwrap();
        let lifetime = dice.time_up_to(LIFETIME);
        let first = timeout(lifetime, scene.client.call::<StartRun>(&params)).await;
        scene.kill().await;
        scene.client.hello(Some(client)).await.unwrap();
        let started = scene.call::<StartRun>(&params).await;
        if let Ok(answered) = first {
            assert_eq!(answered.unwrap(), started, "kill {kill}");
        }
        // Its turn was interrupted, or has ended.
        let mut watch = Watch::from_start(&scene.client, started.session_id).await;
        while watch.next().await["data"]["to"] != "WaitingUser" {}
        let runs = scene
            .call::<ListRuns>(&ListRunsParams::default())
            .await
            .runs;
        assert_eq!(runs.len(), kill, "one run for each command");
        let sessions = fs::read_dir(scene.daemon.home().join("sessions")).unwrap();
        assert_eq!(sessions.count(), kill, "one session for each run");
    }
}
