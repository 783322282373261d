//! The daemon under `strace`: killed at a chosen system call, given errors, and watched for the
//! order in which it writes, syncs and tells.
//!
//! `SCOREL_SYSCALL_KILLS` says at how many calls it is killed (8 in the normal run; a large number
//! means all of them), `SCOREL_SEED` repeats the choice.

mod errors;
mod kills;
mod order;
mod script;

use scorel_testkit::Strace;

/// Whether `strace` works here; says so if not.
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
