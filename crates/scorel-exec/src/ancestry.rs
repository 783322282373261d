//! Who started whom.

use crate::process_table::Process;

/// More generations than any real chain of processes has.
const MAX_GENERATIONS: usize = 1000;

/// Whether the process `pid` descends from `ancestor`, or cannot be looked at any more, so that
/// nobody can tell. A process does not descend from itself.
///
/// Orphans of a supervised command count as its descendants: they fall to the supervisor.
#[must_use]
pub fn descends_from(pid: i32, ancestor: i32) -> bool {
    if cfg!(not(target_os = "linux")) {
        // Nothing is ever supervised there.
        return false;
    }
    let mut current = pid;
    for _ in 0..MAX_GENERATIONS {
        if current == ancestor {
            return current != pid;
        }
        match Process::find(current) {
            Some(process) if process.parent > 0 => current = process.parent,
            Some(_) => return false,
            None => return true,
        }
    }
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_parents_is_followed_up_to_the_first_process() {
        let own = i32::try_from(std::process::id()).unwrap();
        let parent = Process::find(own).unwrap().parent;
        assert!(descends_from(own, parent));
        assert!(!descends_from(parent, own));
        assert!(!descends_from(own, own));
        assert!(!descends_from(1, own));
    }

    #[test]
    fn nobody_can_tell_of_a_process_that_is_gone() {
        assert!(descends_from(i32::MAX, 1));
    }
}
