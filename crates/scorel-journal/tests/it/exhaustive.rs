//! A log of 64 KiB truncated at each of its bytes, and one of 16 KiB with each of its bits flipped. The
//! expected result is computed from the offsets of the records. The files are in memory.

mod bits;
mod cuts;
mod expected;
mod image;

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

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
