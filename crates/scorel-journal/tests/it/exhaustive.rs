//! A log truncated at each of its bytes, and one with each of its bits flipped. The expected result is computed from the
//! offsets of the records. The files are in memory.
//!
//! Each case reads all of its log. With `SCOREL_LONG` set the logs are larger.

mod bits;
mod cuts;
mod expected;
mod image;

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// The bytes of a log, of so many KiB.
fn len(usual: usize, long: usize) -> usize {
    let is_long = std::env::var_os("SCOREL_LONG").is_some();
    let kib = if is_long { long } else { usual };
    kib << 10
}

/// Checks the cases below `count`, on as many threads as there are processors.
fn for_each(count: usize, check: impl Fn(usize) + Sync) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let check = |case| {
        let outcome = catch_unwind(AssertUnwindSafe(|| check(case)));
        assert!(outcome.is_ok(), "case {case} of {count} failed");
    };
    thread::scope(|scope| {
        for first in 0..threads {
            scope.spawn(move || (first..count).step_by(threads).for_each(check));
        }
    });
}
