//! Gives memory that is free, but still the process's, back to the system.
//!
//! glibc returns the free memory at the end of an arena. A long conversation is freed in many pieces
//! between others that stay, so without this the daemon keeps most of its size for good: some 20 of
//! 30 MB after the window of 10,000 messages was dropped. Another allocator was no help: those that
//! return memory by themselves do it with the next allocations, and an idle daemon makes none.
//!
//! A crate of its own, because it is the only place with `unsafe` code.

/// Returns free pages of all arenas. Takes milliseconds with a large heap and stops threads that
/// allocate meanwhile, so it is called when something large was freed, from a thread that may block.
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
    use super::give_back;

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
        let pieces: Vec<Vec<u8>> = (0..4_000).map(|_| vec![1; 16 * 1024]).collect();
        let kept: Vec<Vec<u8>> = pieces.into_iter().step_by(10).collect();
        let before = resident_pages();
        give_back();
        let after = resident_pages();
        assert!(after * 2 < before, "{before} pages before, {after} after");
        assert_eq!(kept.len(), 400);
    }
}
