use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use rustix::fs::fstat;

use crate::locked::lock;
use crate::root::{OpenRootError, Root, RootName};

/// Device and inode.
type DirectoryId = (u64, u64);

/// The projects that sessions have open: one descriptor for a directory, however many sessions work
/// in it.
#[derive(Debug, Default)]
pub struct OpenProjects {
    /// By identity and not by path: another directory may have taken a path since it was opened.
    directories: Mutex<HashMap<DirectoryId, Weak<OwnedFd>>>,
}

impl OpenProjects {
    /// Opens the directory at `path` as a project's root.
    ///
    /// # Errors
    /// The path is not a directory that this process can open.
    pub fn open(&self, path: &Path) -> Result<Root, OpenRootError> {
        let mut root = Root::open(RootName::Project, path)?;
        let Ok(stat) = fstat(&root.directory) else {
            return Ok(root);
        };
        let mut directories = lock(&self.directories);
        directories.retain(|_, directory| directory.strong_count() > 0);
        let known = directories.entry((stat.st_dev, stat.st_ino)).or_default();
        match known.upgrade() {
            Some(open) => root.directory = open,
            None => *known = Arc::downgrade(&root.directory),
        }
        Ok(root)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_directory_is_open_once_and_another_at_its_path_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("project");
        fs::create_dir(&path).unwrap();
        let projects = OpenProjects::default();
        let [first, second] = [(); 2].map(|()| projects.open(&path).unwrap());
        assert!(Arc::ptr_eq(&first.directory, &second.directory));
        fs::rename(&path, dir.path().join("moved")).unwrap();
        fs::create_dir(&path).unwrap();
        let third = projects.open(&path).unwrap();
        assert!(!Arc::ptr_eq(&first.directory, &third.directory));
        drop((first, second, third));
        projects.open(&path).unwrap();
        let directories = projects.directories.lock().unwrap();
        assert!(directories.len() <= 1, "closed directories are forgotten");
    }
}
