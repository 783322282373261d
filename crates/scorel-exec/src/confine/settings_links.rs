//! Links to a command's copies of git's configuration, in the place of the configuration.

use rustix::fs::CWD;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};

use crate::guard::{LINK, SettingsCopy};

/// Mounts a link over each file, which is mounted read-only already and stays so if that fails. Where a
/// mount is looked up, a link at its root is followed as any other.
pub(super) fn mount(settings: &[SettingsCopy]) {
    for copied in settings {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
        let link = open_tree(CWD, copied.directory.join(LINK), flags);
        let _ignored = link.and_then(|link| {
            let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
            move_mount(link, "", CWD, &copied.file, flags)
        });
    }
}
