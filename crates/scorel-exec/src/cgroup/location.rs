//! Where the control group of this process is.

use std::fs;
use std::path::{Path, PathBuf};

/// The directory of this process's group of version 2.
pub(super) fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    directory(&groups, &mounts)
}

/// From `/proc/PID/cgroup` and `/proc/PID/mountinfo`. A mount may show a part of the hierarchy only.
fn directory(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (mount, file_system) = line.split_once(" - ")?;
        if file_system.split(' ').next()? != "cgroup2" {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (shown, place) = (fields.next()?, fields.next()?);
        let below = Path::new(group).strip_prefix(shown).ok()?;
        Some(Path::new(place).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
23 27 0:22 / /sys rw,relatime - sysfs sysfs rw
29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn the_group_is_found_below_its_mount() {
        let groups = "0::/user.slice/user-1.slice/scoreld.service\n";
        let found = directory(groups, MOUNTS);
        let expected = "/sys/fs/cgroup/user.slice/user-1.slice/scoreld.service";
        assert_eq!(found.as_deref(), Some(Path::new(expected)));
        let mixed = "4:memory:/x\n0::/y\n";
        let found = directory(mixed, MOUNTS);
        assert_eq!(found.as_deref(), Some(Path::new("/sys/fs/cgroup/y")));
    }

    #[test]
    fn a_mount_of_a_part_counts_from_there() {
        let mounts = "29 23 0:26 /a /mnt rw - cgroup2 cgroup2 rw\n";
        assert_eq!(
            directory("0::/a/b\n", mounts).as_deref(),
            Some(Path::new("/mnt/b"))
        );
        assert_eq!(directory("0::/c\n", mounts), None);
    }

    #[test]
    fn version_1_alone_has_none() {
        assert_eq!(directory("4:memory:/x\n", MOUNTS), None);
        assert_eq!(
            directory("0::/x\n", "23 27 0:22 / /sys rw - sysfs sysfs rw\n"),
            None
        );
    }
}
