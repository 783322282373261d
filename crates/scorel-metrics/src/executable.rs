use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use scorel_proto::DaemonExecutable;

/// The file that this process was started from.
///
/// It is told apart by device and inode: a package or `cargo install` puts another file in its place, and
/// the inode of a file that runs is not used again.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    file: (u64, u64),
}

impl Executable {
    /// The file of this process. To be called at its start. `None` if the system does not tell it.
    pub fn of_this_process() -> Option<Self> {
        Self::at(std::env::current_exe().ok()?)
    }

    fn at(path: PathBuf) -> Option<Self> {
        let file = identity(&path)?;
        Some(Self { path, file })
    }

    /// Looks whether it is still there. Blocks on the disk.
    pub fn describe(&self) -> DaemonExecutable {
        DaemonExecutable {
            path: self.path.display().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            changed: identity(&self.path) != Some(self.file),
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let file = fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_at_its_path_is_a_change_and_so_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scoreld");
        fs::write(&path, "old").unwrap();
        let executable = Executable::at(path.clone()).unwrap();
        assert!(!executable.describe().changed);
        // Still open, as the file of a process is.
        let _running = fs::File::open(&path).unwrap();
        fs::write(dir.path().join("new"), "new").unwrap();
        fs::rename(dir.path().join("new"), &path).unwrap();
        assert!(executable.describe().changed);
        fs::remove_file(&path).unwrap();
        assert!(executable.describe().changed);
    }

    #[test]
    fn this_process_has_one() {
        let executable = Executable::of_this_process().unwrap().describe();
        assert!(!executable.changed && executable.path.starts_with('/'));
    }
}
