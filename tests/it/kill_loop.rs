//! Kills the daemon at random times, again and again, with clients attached.
//!
//! `SCOREL_KILLS` says how often (60 in the normal run), `SCOREL_SEED` repeats a run.

mod clients;
mod scene;

use std::time::Duration;

use futures_util::{StreamExt, stream};
use scorel_testkit::{SeededDice, runs};
use tokio::time::timeout;

use scene::KillScene;

/// The number of kills per home: a cycle's cost grows with the history.
const KILLS_A_HOME: usize = 15;

/// The number of homes in parallel. A daemon mostly waits to be killed.
const HOMES_AT_ONCE: usize = 4;

/// The time limit for one home, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// What the clients of a home saw and were acknowledged.
#[derive(Debug, Default)]
struct Stakes {
    kills: usize,
    events: usize,
    sends: usize,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_at_any_time_loses_nothing_and_issues_no_number_twice() {
    let mut dice = SeededDice::for_test("kill_loop");
    let kills = runs("SCOREL_KILLS", 60);
    let homes = kills.div_ceil(KILLS_A_HOME);
    let homes = (0..homes).map(|home| (KILLS_A_HOME.min(kills - home * KILLS_A_HOME), dice.fork()));
    let lives = homes.map(|(kills, dice)| tokio::spawn(live(kills, dice)));
    let mut lives = stream::iter(lives).buffer_unordered(HOMES_AT_ONCE);
    let mut total = Stakes::default();
    while let Some(stakes) = lives.next().await {
        let stakes = stakes.expect("a home that is as it should be");
        total.kills += stakes.kills;
        total.events += stakes.events;
        total.sends += stakes.sends;
        if total.kills % 1000 < KILLS_A_HOME {
            println!("kill_loop: {} kills done", total.kills);
        }
    }
    println!("kill_loop: {total:?}");
    assert_eq!(total.kills, kills);
    assert!(
        total.events > kills && total.sends > kills / 3,
        "the daemons had something to lose"
    );
}

/// One home, up to a last daemon that is not killed.
async fn live(kills: usize, dice: SeededDice) -> Stakes {
    let life = async {
        let mut scene = KillScene::new(dice).await;
        for _ in 0..kills {
            scene.live_and_die().await;
        }
        scene.check_to_the_end().await;
        Stakes {
            kills,
            events: scene.events_seen(),
            sends: scene.sends_acknowledged(),
        }
    };
    timeout(PATIENCE, life)
        .await
        .expect("a home's life ends in time")
}
