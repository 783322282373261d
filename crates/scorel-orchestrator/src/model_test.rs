//! Random histories of tasks: spawns, ends, questions, stops, other quotas, deletions and crashes, with the
//! decisions of the orchestrator carried out on folds in memory.
//!
//! The folds are real: each step appends a record and folds it. The schedule and the steps are real. What
//! is played is the rest: sessions of agents, the queue of the parent, and crashes between any two
//! records, after which everything in memory is made anew. Then a small reference compares.
//!
//! `SCOREL_HISTORIES` says how many histories are played, `SCOREL_SEED` where they begin.

mod agent_session;
mod parent;
mod world;

use scorel_testkit::Histories;
use world::World;

/// Seeds of histories that failed once.
const CASES: [u64; 0] = [];

/// How many histories are played unless told.
const USUAL: usize = 2_000;

#[test]
fn tasks_run_within_their_quotas_and_end_once_whatever_crashes() {
    let histories = Histories::new("SCOREL_HISTORIES", USUAL);
    let play = |seed| World::new(seed).play();
    for seed in CASES {
        histories.play_one(seed, play);
    }
    histories.play(play);
}
