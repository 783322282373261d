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
//! The program itself is the larger part of an idle daemon: the system maps its pages as they are used, 16 at
//! a time, and those that only the start or a turn needed stay mapped. [`give_back_program`] unmaps them.
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

/// The memory that may be free at the end of an arena, in bytes: glibc's `DEFAULT_TRIM_THRESHOLD`.
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

/// Unmaps the pages of this program. They stay in the cache of the system, which may use their memory for
/// something else now, and are mapped again when they are used: some hundred minor faults, a millisecond.
/// To be called when the daemon becomes idle, from a thread that may block.
///
/// Does nothing where the system does not tell the mappings of a process. Takes away the breakpoints of a
/// debugger, which are changes of such pages.
#[cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "there is no safe function for it")
)]
pub fn give_back_program() {
    #[cfg(target_os = "linux")]
    for range in program::unchanging_pages() {
        // SAFETY: the range is a private mapping of the program's file that was never written to, so each
        // page has the same content when it is read from the file again, at the next access.
        unsafe {
            libc::madvise(range.start as *mut _, range.len(), libc::MADV_DONTNEED);
        }
    }
}

#[cfg(target_os = "linux")]
mod program {
    use std::ops::Range;

    /// The mappings of the program's file that are never written to: its code, and the constants at the
    /// beginning of the file. Constants with addresses in them are further behind, where the linker puts
    /// what is changed before the program runs; those pages would lose that change.
    pub(super) fn unchanging_pages() -> Vec<Range<usize>> {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let mappings: Vec<Mapping<'_>> = maps.lines().filter_map(Mapping::parse).collect();
        let here = unchanging_pages as fn() -> Vec<Range<usize>> as usize;
        let Some(code) = mappings.iter().find(|it| it.range.contains(&here)) else {
            return Vec::new();
        };
        let of_program = mappings.iter().filter(|it| it.file == code.file);
        let unchanging = of_program.filter(|it| it.is_unchanging());
        unchanging.map(|it| it.range.clone()).collect()
    }

    /// A line of `/proc/self/maps`.
    struct Mapping<'a> {
        range: Range<usize>,
        rights: &'a str,
        offset: &'a str,
        /// Device and inode.
        file: [&'a str; 2],
    }

    impl<'a> Mapping<'a> {
        fn parse(line: &'a str) -> Option<Self> {
            let mut fields = line.split_ascii_whitespace();
            let (start, end) = fields.next()?.split_once('-')?;
            let [rights, offset] = [fields.next()?, fields.next()?];
            let file = [fields.next()?, fields.next()?];
            let number = |text| usize::from_str_radix(text, 16).ok();
            Some(Self {
                range: number(start)?..number(end)?,
                rights,
                offset,
                file,
            })
        }

        fn is_unchanging(&self) -> bool {
            let is_beginning = self.offset.bytes().all(|digit| digit == b'0');
            self.rights == "r-xp" || (self.rights == "r--p" && is_beginning)
        }
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::sync::{Mutex, PoisonError};
    use std::thread;

    use super::{fix_thresholds, give_back, give_back_program};

    /// Held by each test: all see the memory of one process.
    static PROCESS: Mutex<()> = Mutex::new(());

    fn resident_pages() -> u64 {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        let resident = statm.split(' ').nth(1).map(str::parse);
        resident
            .and_then(Result::ok)
            .expect("the second field is a number")
    }

    /// Pages of files.
    fn mapped_pages() -> u64 {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        let shared = statm.split(' ').nth(2).map(str::parse);
        shared
            .and_then(Result::ok)
            .expect("the third field is a number")
    }

    #[test]
    fn pages_of_the_program_are_unmapped_and_it_goes_on() {
        let _alone = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        // Formatting uses code and constants.
        let text = format!("{:?}", std::env::vars().collect::<Vec<_>>());
        let before = mapped_pages();
        give_back_program();
        let after = mapped_pages();
        assert!(after < before, "{before} pages before, {after} after");
        assert_eq!(text, format!("{:?}", std::env::vars().collect::<Vec<_>>()));
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
