//! A daemon that is killed at random times, again and again, with clients attached.
//!
//! `SCOREL_KILLS` says how often (30 in the normal run), `SCOREL_SEED` repeats a run.

mod clients;
mod scene;

use scorel_testkit::{Dice, runs};

use scene::Scene;

/// How many kills a home lives through before the next one begins: the cost of a cycle grows with
/// the history.
const KILLS_A_HOME: usize = 15;

#[tokio::test(flavor = "multi_thread")]
async fn kill_at_any_time_loses_nothing_and_gives_no_number_twice() {
    let mut dice = Dice::for_test("kill_loop");
    let kills = runs("SCOREL_KILLS", 30);
    let mut left = kills;
    let (mut events, mut sends) = (0, 0);
    while left > 0 {
        let count = left.min(KILLS_A_HOME);
        left -= count;
        let mut scene = Scene::new(dice.fork()).await;
        for _ in 0..count {
            scene.live_and_die().await;
        }
        scene.check_to_the_end().await;
        events += scene.events_seen();
        sends += scene.sends_acknowledged();
        if (kills - left) % 1000 < KILLS_A_HOME {
            println!("kill_loop: {} kills done", kills - left);
        }
    }
    println!("kill_loop: {kills} kills, {events} events seen, {sends} sends acknowledged");
    assert!(
        events > kills && sends > kills / 3,
        "the daemon had something to lose"
    );
}
