use std::fs;

/// Returns whether a thread of this process waits for a disk: it sleeps in the kernel and cannot be interrupted
/// (state `D`). Locks are waited for otherwise.
pub(super) fn waits_for_disk() -> bool {
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return false;
    };
    threads.flatten().any(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat"));
        stat.is_ok_and(|stat| state(&stat) == Some('D'))
    })
}

/// The state follows the name, which may contain anything.
fn state(stat: &str) -> Option<char> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_thread_is_read_whatever_its_name() {
        for (stat, expected) in [
            ("7 (scoreld) D 1 7", Some('D')),
            ("7 (a) D (b)) S 1 7", Some('S')),
            ("7 (scoreld)", None),
            ("", None),
        ] {
            assert_eq!(state(stat), expected, "{stat}");
        }
    }
}
