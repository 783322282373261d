//! Random histories of real lanes against a small reference.
//!
//! A history does what clients, the model, tools, time and crashes may do to a session: it sends,
//! steers, edits the queue, cancels, moves the leaf, edits and resends, compacts, answers questions,
//! ends waits, restores files, repeats commands, kills the daemon, stops it, and unloads the session.
//! The reference says what becomes of each step, without the lane; after each step the lane must be
//! that, and the promises of a session must hold:
//!
//! 1. only the lane writes the log: bytes that were read from it once stay for ever;
//! 2. what a client sees is in the log by then, and so is what a reply says;
//! 3. an event of a client is a line of the log, byte for byte;
//! 4. a seq names one event, also over crashes, and seqs only grow;
//! 5. events come to clients in the order of their seqs;
//! 6. a client that comes back with its anchors sees the fold of the log and the in-flight state;
//! 7. a client that does not read delays nothing, and catches up when it does;
//! 8. nothing dangles: each call has its result, each message its end, each turn its outcome;
//! 9. a command that is repeated gets its first answer and changes nothing, and its id with another
//!    payload is a conflict;
//! 10. a command that is refused says why and changes nothing.
//!
//! Beside these, the held window is the one that is built from the path, and the request of each call
//! is what the reference makes of the conversation.
//!
//! `SCOREL_LANE_HISTORIES` says how many histories are played, `SCOREL_SEED` where they begin.

mod follower;
mod history;
mod observed;
mod project;
mod reference;
mod stage;

use std::sync::atomic::{AtomicUsize, Ordering};

use history::History;
use scorel_testkit::Histories;

/// Seeds of histories that failed once, and what was wrong. Another order of choices makes them other
/// histories.
const CASES: [(u64, &str); 1] = [(
    156_183_915_944_565,
    "a repeated cancel of a summary is answered otherwise after a crash",
)];

/// How often a held window was compared.
static WINDOWS: AtomicUsize = AtomicUsize::new(0);

/// How many summaries were written.
static SUMMARIES: AtomicUsize = AtomicUsize::new(0);

fn histories() -> Histories {
    Histories::new("SCOREL_LANE_HISTORIES", 1_000)
}

fn play(seed: u64) {
    // One for each history: what a dead daemon left running ends with it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(async {
        History::begin(seed).await.run().await;
    });
}

#[test]
fn every_history_is_what_the_reference_says() {
    let histories = histories();
    histories.play(play);
    let windows = WINDOWS.load(Ordering::Relaxed);
    let summaries = SUMMARIES.load(Ordering::Relaxed);
    println!("{windows} windows, {summaries} summaries");
    let has_all = windows > 0 && summaries > 0;
    assert!(
        has_all || histories.seeds().count() < 1_000,
        "some conversation was long"
    );
}

#[test]
fn histories_that_failed_once_hold() {
    for (seed, what) in CASES {
        println!("{seed}: {what}");
        histories().play_one(seed, play);
    }
}
