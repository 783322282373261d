//! Random histories of a session against a list of everything that was shown.
//!
//! A history appends, shows, crashes, damages and loads as a daemon and its disk may, while clients
//! come and go with anchors of every kind. After each step the session, and what each client has by
//! the rules of the protocol, are what the list says; and every batch and page is the one that the
//! anchors and the state of the ring demand.
//!
//! `SCOREL_HISTORIES` says how many histories are played, `SCOREL_SEED` where they begin.

mod client;
pub(crate) mod dice;
pub(crate) mod disk;
mod history;
mod home;
mod reference;
mod transcript;

use std::sync::atomic::{AtomicUsize, Ordering};

use history::History;
use home::HistoryHome;
use scorel_testkit::Histories;

/// Seeds of histories that failed once, whether they have twists, and what was wrong. Another order
/// of choices makes them other histories.
const CASES: [(u64, bool, &str); 7] = [
    (75, false, "a hole hides that a turn is open"),
    (266, false, "a hole hides that a turn is open"),
    (121, false, "a checkpoint hides unaccepted damage"),
    (694, false, "a checkpoint hides unaccepted damage"),
    (1_045_792, false, "a message whose spool broke is cancelled"),
    (
        20_261_398,
        true,
        "an emptied checkpoint is spoiled once more",
    ),
    (
        5_730_260_737_041,
        true,
        "all reserved numbers were shown before a crash",
    ),
];

/// How many merged deltas clients got.
static MERGED: AtomicUsize = AtomicUsize::new(0);

/// How often a held window was compared.
static WINDOWS: AtomicUsize = AtomicUsize::new(0);

fn histories() -> Histories {
    Histories::new("SCOREL_HISTORIES", 1_000)
}

fn play(seed: u64, home: HistoryHome, twisted: bool) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime").block_on(async {
        History::begin(seed, home, twisted).await.run().await;
    });
}

#[test]
fn no_history_loses_repeats_or_reorders_anything() {
    let histories = histories();
    histories.play(|seed| play(seed, HistoryHome::in_memory(), true));
    let merged = MERGED.load(Ordering::Relaxed);
    println!("{merged} merged deltas");
    assert!(
        merged > 0 || histories.seeds().count() < 1_000,
        "some client fell far behind"
    );
}

#[test]
fn histories_hold_on_the_real_file_system() {
    let histories = histories();
    for seed in histories.seeds().take(20) {
        histories.play_one(seed, |seed| play(seed, HistoryHome::in_files(), true));
    }
}

#[test]
fn histories_that_failed_once_hold() {
    for (seed, twisted, what) in CASES {
        println!("{seed}: {what}");
        histories().play_one(seed, |seed| play(seed, HistoryHome::in_memory(), twisted));
    }
}
