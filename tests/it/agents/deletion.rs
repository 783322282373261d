//! Deletions of sessions with open tasks that a kill interrupts.
//!
//! `SCOREL_DELETION_KILLS` says how many; `SCOREL_SEED` repeats them.

use std::fs;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use scorel_proto::{
    DeleteChildren, DeleteSession, DeleteSessionParams, GetSession, GetSessionParams,
    ResultDelivery, SessionId,
};
use scorel_testkit::{SeededDice, runs};
use tokio::time::timeout;

use super::scene::AgentScene;
use crate::under_test::{PATIENCE, connect};

/// About how long a deletion takes that is not killed.
const DELETION: Duration = Duration::from_millis(25);

/// How many go on at once.
const AT_ONCE: usize = 2;

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_leaves_all_of_the_sessions_or_none() {
    let mut dice = SeededDice::for_test("agents::deletion");
    let count = runs("SCOREL_DELETION_KILLS", 8);
    let all = (0..count).map(|_| tokio::spawn(killed_deletion(dice.fork())));
    let mut all = stream::iter(all).buffer_unordered(AT_ONCE);
    let mut were_deleted = 0;
    while let Some(deleted) = all.next().await {
        were_deleted += usize::from(deleted.expect("all or none"));
    }
    println!("{were_deleted} of {count} deletions had begun");
}

/// Returns whether the next daemon had something to delete.
async fn killed_deletion(mut dice: SeededDice) -> bool {
    let mut scene = AgentScene::new().await;
    let mut sessions = vec![scene.lead];
    for name in ["one", "two", "three"] {
        let gate = scene.parts.hold(name);
        let deliver = ResultDelivery::Turn;
        let spawned = scene.spawn_as("reviewer", name, None, deliver).await;
        sessions.push(spawned.session_id);
        gate.reached().await;
    }
    let params = DeleteSessionParams {
        session_id: scene.lead,
        children: Some(DeleteChildren::Delete),
        now: Some(dice.chance(50)),
        command_id: None,
    };
    let deletion = scene.client.call::<DeleteSession>(&params);
    let _interrupted = timeout(dice.time_up_to(DELETION), deletion).await;
    scene.daemon.kill().await;
    let receipts = scene.daemon.home().join("receipts.jsonl");
    let receipts = fs::read_to_string(receipts).unwrap_or_default();
    let has_begun = receipts.contains("deleteSession");
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;

    let mut host = scene.client.subscribe_host().await.unwrap();
    let mut left = remaining(&scene, &sessions).await;
    while has_begun && left > 0 {
        let event = timeout(PATIENCE, host.next()).await;
        event.expect("the deletion goes on").unwrap();
        left = remaining(&scene, &sessions).await;
    }
    let expected = if has_begun { 0 } else { sessions.len() };
    assert_eq!(left, expected, "{receipts}");
    for id in &sessions {
        let exists = scene.daemon.session_dir(&id.to_string()).exists();
        assert_eq!(exists, !has_begun, "{id}");
    }
    has_begun
}

async fn remaining(scene: &AgentScene, sessions: &[SessionId]) -> usize {
    let mut found = 0;
    for session_id in sessions {
        let params = GetSessionParams {
            session_id: *session_id,
        };
        found += usize::from(scene.client.call::<GetSession>(&params).await.is_ok());
    }
    found
}
