//! The limit of tasks that a pid namespace has of its own.

use std::fs;
use std::io;
use std::process::ExitCode;

use super::mounts::try_in_namespace;

/// The first Linux on which `pid_max` belongs to a pid namespace. On older ones it is the whole
/// machine's, which a superuser would change.
const FIRST: (u32, u32) = (6, 14);

/// The kernel's `RESERVED_PIDS`: lower ids are given once only, as long as there is none above.
const RESERVED: u64 = 300;

/// The kernel's highest `PID_MAX_LIMIT`.
const MAX: u64 = 4 * 1024 * 1024;

/// The probe: sets it in a new namespace, whose first process is its child.
pub(crate) fn try_it() -> ExitCode {
    try_in_namespace(|| set(1).is_ok())
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|it: char| !it.is_ascii_digit());
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

/// Sets that of this process's namespace.
pub(super) fn set(tasks: u64) -> io::Result<()> {
    if version(&fs::read_to_string("/proc/sys/kernel/osrelease")?) < Some(FIRST) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // So that the next id is above the reserved ones, which come on top of the limit otherwise: on a
    // kernel that cannot save processes, which has no such file.
    let _ignored: io::Result<()> = fs::write("/proc/sys/kernel/ns_last_pid", RESERVED.to_string());
    let ids = RESERVED.saturating_add(tasks).min(MAX);
    fs::write("/proc/sys/kernel/pid_max", ids.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_as_numbers() {
        for release in ["6.14.0", "6.18.44-fc\n", "7.0", "10.2-rc1"] {
            assert!(version(release) >= Some(FIRST), "{release}");
        }
        for release in ["6.9.3", "6.2", "5.15.0-91-generic", "x"] {
            assert!(version(release) < Some(FIRST), "{release}");
        }
    }
}
