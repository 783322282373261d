//! Gives memory that is free, but still the process's, back to the system.
//!
//! glibc returns the free memory at the end of an arena. A long conversation is freed in many pieces
//! between others that stay, so without [`give_back`] the daemon keeps most of its size for good: some
//! 20 of 30 MB after the window of 10,000 messages was dropped. Another allocator was no help: those
//! that return memory by themselves do it with the next allocations, and an idle daemon makes none.
//!
//! The end of an arena is the other half. `malloc_trim` returns it for the main arena only; for those
//! of other threads glibc does it when something is freed, once more than a threshold is free there.
//! [`fix_thresholds`] keeps that threshold low. Without it a daemon of 33 MB that had four turns on a
//! conversation of 13 MB stayed at 50 to 61 MB.
//!
//! A crate of its own, because it is the only place with `unsafe` code.

/// Keeps glibc's thresholds where they are at the start of a process. To be called before there is a
/// second thread.
///
/// By default glibc adapts them: after a piece of up to 32 MB was freed, pieces of its size come from the
/// arenas instead of mappings of their own, and each arena keeps twice as much free at its end. One
/// request body of 13 MB is enough for 26 MB in each arena. Setting one threshold ends that for all.
///
/// Does nothing where the allocator is not glibc's.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "there is no safe function for it")
)]
pub fn fix_thresholds() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt(3) takes no pointer; M_TRIM_THRESHOLD changes only when memory is returned.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_THRESHOLD);
    }
}

/// How much may be free at the end of an arena, in bytes: glibc's `DEFAULT_TRIM_THRESHOLD`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TRIM_THRESHOLD: libc::c_int = 128 * 1024;

/// Returns free pages between pieces of all arenas. Takes milliseconds with a large heap and stops
/// threads that allocate meanwhile, so it is called when something large was freed, from a thread that
/// may block.
///
/// Does nothing where the allocator is not glibc's: musl's returns memory by itself.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "there is no safe function for it")
)]
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim(3) takes no pointer, is MT-Safe, and leaves memory in use as it is.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::sync::{Mutex, PoisonError};
    use std::thread;

    use super::{fix_thresholds, give_back};

    /// Held by each test: all see the memory of one process.
    static PROCESS: Mutex<()> = Mutex::new(());

    fn resident_pages() -> u64 {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        let resident = statm.split(' ').nth(1).map(str::parse);
        resident
            .and_then(Result::ok)
            .expect("the second field is a number")
    }

    /// Every tenth piece stays, so no end of an arena is free.
    #[test]
    fn pages_between_pieces_that_stay_are_given_back() {
        let _alone = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces: Vec<Vec<u8>> = (0..4_000).map(|_| vec![1; 16 * 1024]).collect();
        let kept: Vec<Vec<u8>> = pieces.into_iter().step_by(10).collect();
        let before = resident_pages();
        give_back();
        let after = resident_pages();
        assert!(after * 2 < before, "{before} pages before, {after} after");
        assert_eq!(kept.len(), 400);
    }

    /// As a turn does it: a large request body is freed, then the messages of the conversation.
    #[test]
    fn a_thread_keeps_little_after_a_large_piece_was_freed() {
        let _alone = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        fix_thresholds();
        // Not on the main arena, whose end `give_back` returns.
        let [before, after] = thread::scope(|scope| {
            let turn = scope.spawn(|| {
                drop(vec![1_u8; 13 * 1024 * 1024]);
                let before = resident_pages();
                // Nothing is allocated between these and the end of the arena.
                drop::<Vec<Vec<u8>>>((0..13 * 1024).map(|_| vec![1; 1024]).collect());
                give_back();
                [before, resident_pages()]
            });
            turn.join().expect("it does not panic")
        });
        let kept = after.saturating_sub(before);
        assert!(
            kept < 13 * 1024 / 4 / 5,
            "{before} pages before, {after} after"
        );
    }
}
