//! The costs of hooks, and of a daemon that has none.

mod faulty_program;
mod older_build;
mod round_trips;

use std::path::Path;

use crate::figure::Figure;
use crate::turn_stand::TurnStand;

/// The variable that names a build of the daemon from before hooks.
const OLDER: &str = "SCOREL_BENCH_OLD";

pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut figures = Vec::new();
    match std::env::var_os(OLDER) {
        Some(older) => figures.extend(older_build::measure(program, Path::new(&older)).await),
        None => println!("skipped: {OLDER} names no older build"),
    }
    figures.extend(round_trips::measure(program).await);
    figures.push(faulty_program::beside(program).await);
    figures
}

/// Runs turns of both, so that both see the same machine. Each follows itself as often as the other.
async fn in_turns(one: &mut TurnStand, other: &mut TurnStand, rounds: usize) {
    for round in 0..rounds {
        if round % 2 == 0 {
            one.turn().await;
            other.turn().await;
        } else {
            other.turn().await;
            one.turn().await;
        }
    }
}
