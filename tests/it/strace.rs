//! The daemon under `strace`: killed at chosen system calls, given injected errors, and linted for
//! the order in which it writes, syncs and sends.
//!
//! `SCOREL_SYSCALL_KILLS` says at how many calls it is killed (60 in the normal run of each test),
//! `SCOREL_FAULTS` how many calls fail (20, 12 and 12 in the three tests); a large number means all of
//! them. `SCOREL_SEED` repeats the choice.

mod costs;
mod errors;
mod faults;
mod hang;
mod kills;
mod order;
mod reads;
mod receipts;
mod script;

use std::collections::BTreeMap;

use scorel_testkit::{SeededDice, Strace};

/// The number of daemons that run under `strace` in parallel.
const AT_ONCE: usize = 3;

/// Whether `strace` works here; prints the reason if not.
#[expect(
    clippy::print_stdout,
    reason = "the output of a test says what was skipped"
)]
fn strace_works() -> bool {
    let reason = Strace::unavailable();
    if let Some(reason) = &reason {
        println!("skipped: {reason}");
    }
    reason.is_none()
}

/// A sample with as many of each kind as of any other, where there are as many, spread over all of
/// its kind.
fn spread<T: Copy, K: Ord>(
    all: Vec<T>,
    count: usize,
    dice: &mut SeededDice,
    kind: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut kinds: BTreeMap<K, Vec<T>> = BTreeMap::new();
    let count = count.min(all.len());
    for one in all {
        kinds.entry(kind(&one)).or_default().push(one);
    }
    let kinds: Vec<Vec<T>> = kinds.into_values().collect();
    let mut shares = vec![0; kinds.len()];
    let mut taken = 0;
    while taken < count {
        let room = (0..kinds.len()).filter(|at| shares[*at] < kinds[*at].len());
        let room: Vec<usize> = room.take(count - taken).collect();
        taken += room.len();
        room.into_iter().for_each(|at| shares[at] += 1);
    }
    let mut chosen = Vec::new();
    for (of_kind, share) in kinds.iter().zip(shares) {
        let part = |number: usize| of_kind.len() * number / share;
        let places = (0..share).map(|number| dice.index(part(number)..part(number + 1)));
        chosen.extend(places.map(|place| of_kind[place]));
    }
    chosen
}
