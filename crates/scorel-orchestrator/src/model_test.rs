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

use std::time::Instant;

use world::World;

/// Seeds of histories that failed once.
const CASES: [u64; 0] = [];

/// How many histories are played unless told.
const USUAL: u64 = 5_000;

/// Says which history failed.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "the history failed: SCOREL_SEED={} SCOREL_HISTORIES=1",
                self.0
            );
        }
    }
}

#[test]
fn tasks_run_within_their_quotas_and_end_once_whatever_crashes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("SCOREL_HISTORIES").unwrap_or(USUAL);
    let first: u64 = number("SCOREL_SEED").unwrap_or_else(rand::random);
    println!("SCOREL_SEED={first}");
    let begun = Instant::now();
    let seeds = (0..count).map(|index| first.wrapping_add(index));
    for seed in CASES.into_iter().chain(seeds) {
        let named = Named(seed);
        World::new(seed).play();
        drop(named);
    }
    println!("{count} histories in {:?}", begun.elapsed());
}
