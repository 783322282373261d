//! Removing the files of a worktree.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use scorel_fs::if_present;

/// Removes a directory with everything in it, if there is one. An agent may have left directories that
/// cannot be written to; these are opened first. Links are not followed.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    match removed(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_directories(path)?;
            removed(path)
        }
        result => result,
    }
}

fn removed(path: &Path) -> io::Result<()> {
    if_present(fs::remove_dir_all(path)).map(drop)
}

fn open_directories(path: &Path) -> io::Result<()> {
    let mut left = vec![path.to_owned()];
    while let Some(directory) = left.pop() {
        fs::set_permissions(&directory, Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_without_permissions_go_too_and_links_lead_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        let other = dir.path().join("other");
        fs::create_dir_all(tree.join("a/b/c")).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(other.join("file"), "").unwrap();
        std::os::unix::fs::symlink(&other, tree.join("a/link")).unwrap();
        for (name, mode) in [("a/b", 0o000), ("a", 0o555)] {
            fs::set_permissions(tree.join(name), Permissions::from_mode(mode)).unwrap();
        }
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && other.join("file").exists());
        remove_tree(&tree).unwrap();
    }
}
