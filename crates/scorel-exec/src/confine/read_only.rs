//! Making mounts read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};

use super::mount_error::MountError;
use crate::mounts::MountLine;

/// The mounts of this namespace.
const TABLE: &str = "/proc/self/mountinfo";

/// Mounts on demand: later mounts there are not in this namespace.
const ON_DEMAND: &str = "autofs";

/// Makes every mount of this namespace read-only, except those at and below `writable`.
///
/// One by one: a recursive change (`mount_setattr`) needs Linux 5.12, and would also fail for a mount
/// that this user cannot reach.
pub(super) fn everything_except<'a>(
    writable: impl IntoIterator<Item = &'a PathBuf> + Copy,
) -> Result<(), MountError> {
    for (place, flags) in mounts(&fs::read(TABLE)?) {
        if writable.into_iter().any(|root| place.starts_with(root)) {
            continue;
        }
        let flags = flags | MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        match mount(None::<&str>, &place, None::<&str>, flags, None::<&str>) {
            // Below another mount, or in a directory that this user cannot enter: the command
            // cannot get there either.
            Ok(()) | Err(Errno::EINVAL | Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES) => {}
            Err(source) => return Err(MountError::at(&place, source)),
        }
    }
    Ok(())
}

/// Where file systems of this kind are mounted.
pub(super) fn places_of(kind: &str) -> io::Result<BTreeSet<PathBuf>> {
    let table = fs::read(TABLE)?;
    let of_kind = MountLine::all(&table).filter(|line| line.kind == kind.as_bytes());
    Ok(of_kind.map(|line| line.place).collect())
}

/// Writable mounts with their other flags, from a `mountinfo` table. Of several at one place the last,
/// which is the visible one.
fn mounts(table: &[u8]) -> BTreeMap<PathBuf, MsFlags> {
    let mut found = BTreeMap::new();
    for line in MountLine::all(table).filter(|line| line.kind != ON_DEMAND.as_bytes()) {
        let (place, options) = (line.place, String::from_utf8_lossy(line.options));
        if options.split(',').any(|option| option == "ro") {
            found.remove(&place);
        } else {
            found.insert(place, flags(&options));
        }
    }
    found
}

/// The flags to repeat. In a user namespace they are locked: a remount that leaves one out fails with
/// `EPERM`.
fn flags(options: &str) -> MsFlags {
    let known = |option: &str| match option {
        "nosuid" => MsFlags::MS_NOSUID,
        "nodev" => MsFlags::MS_NODEV,
        "noexec" => MsFlags::MS_NOEXEC,
        "noatime" => MsFlags::MS_NOATIME,
        "nodiratime" => MsFlags::MS_NODIRATIME,
        "relatime" => MsFlags::MS_RELATIME,
        _ => MsFlags::empty(),
    };
    let flags = options.split(',').map(known).collect::<MsFlags>();
    let kinds_of_atime = MsFlags::MS_NOATIME | MsFlags::MS_RELATIME;
    if flags.intersects(kinds_of_atime) {
        flags
    } else {
        flags | MsFlags::MS_STRICTATIME
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn writable_mounts_are_listed_with_their_flags() {
        let table = b"\
22 27 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:5 - proc proc rw
23 27 0:22 / /sys ro,relatime - sysfs sysfs rw
27 1 8:1 / / rw,noatime shared:1 - ext4 /dev/sda rw
30 27 8:2 / /mnt/with\\040space rw - ext4 /dev/sdb rw
31 27 0:40 / /net rw,relatime - autofs systemd-1 rw
32 27 8:3 / /twice rw,relatime - ext4 /dev/sdc rw
33 32 8:4 / /twice ro,relatime - ext4 /dev/sdd ro
";
        let found = mounts(table);
        let names: Vec<_> = found.keys().map(|place| place.to_str().unwrap()).collect();
        assert_eq!(names, ["/", "/mnt/with space", "/proc"]);
        assert_eq!(found[Path::new("/")], MsFlags::MS_NOATIME);
        assert_eq!(found[Path::new("/mnt/with space")], MsFlags::MS_STRICTATIME);
        let expected =
            MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC | MsFlags::MS_RELATIME;
        assert_eq!(found[Path::new("/proc")], expected);
    }
}
