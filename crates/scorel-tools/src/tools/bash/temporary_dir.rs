//! The directory for temporary files of a session's commands.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{env, iter};

use rustix::fs::{FlockOperation, flock};
use scorel_exec::real;
use tempfile::TempDir;

/// By it, what a daemon has left is known.
const PREFIX: &str = "scorel-tmp-";

/// Removed when it is dropped; if its daemon ends before, by the first command of the next one.
#[derive(Debug)]
pub(super) struct TemporaryDir {
    dir: TempDir,
    /// Locked for as long as the daemon lives.
    _lock: File,
}

impl TemporaryDir {
    pub(super) fn new() -> io::Result<Self> {
        static SWEEP: Once = Once::new();
        // Its path has no links: one that is made there later is not followed.
        let parent = real(&env::temp_dir());
        SWEEP.call_once(|| sweep(&parent));
        // Until it is locked, another daemon may take it for one that was left.
        let mut made = iter::repeat_with(|| Self::in_directory(&parent)).take(3);
        let is_there = |made: &io::Result<Self>| made.as_ref().is_ok_and(|it| it.path().exists());
        made.find(is_there)
            .unwrap_or_else(|| Self::in_directory(&parent))
    }

    fn in_directory(parent: &Path) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::open(dir.path())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes the directories that daemons of this user have left.
fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let is_one = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(PREFIX);
    for entry in entries.filter(|entry| is_one(&entry.file_name())) {
        // Fails if a daemon that runs uses it.
        let _ignored = remove_if_left(&entry.path());
    }
}

fn remove_if_left(path: &PathBuf) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let lock = File::open(path)?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_daemon_has_left_is_removed_and_what_another_uses_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let used = TemporaryDir::in_directory(parent.path()).unwrap();
        let left = parent.path().join("scorel-tmp-left");
        fs::create_dir_all(left.join("a")).unwrap();
        fs::write(left.join("a/b"), "").unwrap();
        let others = ["scorel-other", "scorel-tmp-file"].map(|name| parent.path().join(name));
        fs::create_dir(&others[0]).unwrap();
        fs::write(&others[1], "").unwrap();
        std::os::unix::fs::symlink(&others[0], parent.path().join("scorel-tmp-link")).unwrap();
        sweep(parent.path());
        assert!(!left.exists() && used.path().exists());
        assert!(others.iter().all(|it| it.exists()));
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }
}
