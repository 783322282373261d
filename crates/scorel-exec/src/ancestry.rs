//! Whether one process descends from another.

use crate::process_table::Process;

/// Bounds the walk: process ids that are reused during the walk can form a cycle.
const MAX_GENERATIONS: usize = 1000;

/// Returns whether the process `pid` descends from `ancestor`. Also `true` if that cannot be determined because
/// `pid` or a process between them has ended or cannot be read: the caller refuses descendants, so it
/// fails closed. A process does not descend from itself.
///
/// Orphans of a supervised command still descend from the daemon: their new parent is the supervisor.
pub fn descends_from(pid: i32, ancestor: i32) -> bool {
    if cfg!(not(target_os = "linux")) {
        // No command is ever started there.
        return false;
    }
    let mut current = pid;
    for _ in 0..MAX_GENERATIONS {
        if current == ancestor {
            return current != pid;
        }
        match Process::find(current) {
            Ok(Some(process)) if process.parent > 0 => current = process.parent,
            Ok(Some(_)) => return false,
            Ok(None) | Err(_) => return true,
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
        let parent = Process::find(own).unwrap().unwrap().parent;
        assert!(descends_from(own, parent));
        assert!(!descends_from(parent, own));
        assert!(!descends_from(own, own));
        assert!(!descends_from(1, own));
    }

    #[test]
    fn an_ended_process_counts_as_a_descendant() {
        assert!(descends_from(i32::MAX, 1));
    }
}
