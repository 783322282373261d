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
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use history::History;
use home::HistoryHome;

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

fn play(seeds: impl Iterator<Item = u64>, home: fn() -> HistoryHome, twisted: bool) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime").block_on(async {
        for seed in seeds {
            let _named = Named(seed);
            History::begin(seed, home(), twisted).await.run().await;
        }
    });
}

pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

/// A seed that differs from run to run, if none is wanted.
pub(crate) fn first_seed() -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    let any = u64::try_from(now.as_nanos() % (1 << 48)).expect("below 2^48");
    number("SCOREL_SEED").unwrap_or(any)
}

#[test]
fn no_history_loses_repeats_or_reorders_anything() {
    let (first, count) = (first_seed(), number("SCOREL_HISTORIES").unwrap_or(5_000));
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let seeds = (first..first + count)
                .skip(thread as usize)
                .step_by(threads as usize);
            scope.spawn(move || play(seeds, HistoryHome::in_memory, true));
        }
    });
    let merged = MERGED.load(Ordering::Relaxed);
    println!(
        "{count} histories from seed {first} in {:?}, {merged} merged deltas",
        begun.elapsed()
    );
    assert!(merged > 0 || count < 1_000, "some client fell far behind");
}

#[test]
fn histories_hold_on_the_real_file_system() {
    let first = first_seed();
    play(first..first + 20, HistoryHome::in_files, true);
}

#[test]
fn histories_that_failed_once_hold() {
    for (seed, twisted, what) in CASES {
        println!("{seed}: {what}");
        play(std::iter::once(seed), HistoryHome::in_memory, twisted);
    }
}
