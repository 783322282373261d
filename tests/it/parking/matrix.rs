//! Restarts at random points of turns of every kind.
//!
//! `SCOREL_RESTARTS` says how often (5 in the normal run), `SCOREL_SEED` repeats a run.

use std::time::Duration;

use futures_util::future::join_all;
use scorel_testkit::{SeededDice, runs};
use tokio::time::timeout;

use super::scene::{ParkScene, finish};
use crate::under_test::{connect, has_sandbox};

/// The longest time from the messages to the restart.
const LIFETIME: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread")]
async fn whenever_the_restart_comes_turns_go_on_and_no_tool_runs_twice() {
    if !has_sandbox() {
        return;
    }
    let mut dice = SeededDice::for_test("parking");
    let restarts = runs("SCOREL_RESTARTS", 5);
    let mut scene = ParkScene::new().await;
    let (mut parked, mut went_on) = (0, 0);
    for _ in 0..restarts {
        let (client, turns) = scene.begin().await;
        let lifetime = dice.time_up_to(LIFETIME);
        // Nothing is answered yet, so a question and a wait stay open.
        let _over = timeout(lifetime, client.closed()).await;
        let gate = scene.gate();
        let (status, ()) = tokio::join!(scene.daemon.park(), async { gate.open() });
        assert!(status.success(), "{status:?}: {}", scene.daemon.errors());
        let open: Vec<_> = turns
            .iter()
            .filter(|it| scene.reason(it).is_none())
            .collect();
        parked += open.len();

        scene.daemon.spawn().await;
        let client = connect(&scene.daemon.socket()).await;
        join_all(open.iter().map(|turn| finish(&client, turn))).await;
        let completed = |turn: &&&_| scene.reason(turn).as_deref() == Some("completed");
        went_on += open.iter().filter(completed).count();
        for turn in &turns {
            scene.check(turn);
        }
    }
    println!("parking: {restarts} restarts, {parked} turns left open, {went_on} of them completed");
    assert!(parked >= restarts * 3, "the daemons had something to park");
    assert!(
        went_on * 100 >= parked * 90,
        "{went_on} of {parked} went on"
    );
}
