use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fs2::FileExt as _;
use scorel_home::trusted_file::{self, Stamp};
use scorel_journal::{FileStorage, replace_file};

use crate::ConfigError;
use crate::EditConfigError;
use crate::file_layer::{FileLayer, MAX_BYTES};

/// What precedes the text of some editors.
const BOM: &str = "\u{feff}";

/// The mode of the files that are made here.
const PRIVATE: u32 = 0o600;

/// The time that another program may hold the lock: it replaces one file. One that was stopped holds it for ever.
const LOCK_LIMIT: Duration = Duration::from_secs(5);

/// The interval of tries, since a blocking call has no time limit.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);

/// The most tries of an edit.
const EDITS: usize = 64;

/// A configuration file as it was read, to be replaced.
#[derive(Debug)]
pub(super) struct FileText {
    /// Where it is, links followed.
    target: PathBuf,
    /// `None` if it does not exist.
    stamp: Option<Stamp>,
    bytes: Vec<u8>,
    mode: u32,
}

impl FileText {
    pub(super) fn read(path: &Path, layer: FileLayer) -> Result<Self, EditConfigError> {
        let read = trusted_file::read(path, MAX_BYTES, layer.trust()).map_err(ConfigError::from)?;
        let (stamp, bytes) = match read {
            Some((stamp, bytes)) => (Some(stamp), bytes),
            None => (None, Vec::new()),
        };
        let target = target(path)?;
        let mode = fs::metadata(&target).map_or(PRIVATE, |it| it.permissions().mode() & 0o7777);
        Ok(Self {
            target,
            stamp,
            bytes,
            mode,
        })
    }

    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Replaces the text, with the same mark before it, unless another program has done so meanwhile.
    pub(super) fn replace(&self, text: &str) -> Result<(), EditConfigError> {
        let path = || self.target.clone();
        let write = |source| EditConfigError::Write {
            path: path(),
            source,
        };
        if self.stamp.is_none()
            && let Some(dir) = self.target.parent()
        {
            fs::create_dir_all(dir).map_err(write)?;
        }
        let locked = self.lock(LOCK_LIMIT).map_err(write)?;
        let _one_at_a_time = locked.ok_or_else(|| EditConfigError::Locked { path: path() })?;
        if Stamp::current(&self.target).map_err(write)? != self.stamp {
            return Err(EditConfigError::Changed { path: path() });
        }
        let mut bytes = Vec::new();
        if self.bytes.starts_with(BOM.as_bytes()) && !text.starts_with(BOM) {
            bytes.extend_from_slice(BOM.as_bytes());
        }
        bytes.extend_from_slice(text.as_bytes());
        replace_file(&FileStorage, &self.target, &bytes).map_err(write)?;
        if self.mode == PRIVATE {
            return Ok(());
        }
        fs::set_permissions(&self.target, Permissions::from_mode(self.mode)).map_err(write)
    }
}

impl FileText {
    /// Keeps other programs of ours from replacing a file of this directory between the comparison and the
    /// rename, until the returned file is closed. The lock is on the directory, which stays when the file is
    /// replaced. `None` if another program holds it for longer than `limit`.
    fn lock(&self, limit: Duration) -> io::Result<Option<File>> {
        let dir = File::open(self.target.parent().unwrap_or(Path::new(".")))?;
        let give_up = Instant::now() + limit;
        // A network file system may lock no directory. The comparison guards alone then.
        while let Err(error) = dir.try_lock_exclusive()
            && error.kind() == ErrorKind::WouldBlock
        {
            if Instant::now() >= give_up {
                return Ok(None);
            }
            thread::sleep(LOCK_INTERVAL);
        }
        Ok(Some(dir))
    }
}

/// Repeats an edit while other programs change the file between its reading and its replacement. Each
/// repetition means that one of them was done.
pub(super) fn repeated<T>(
    mut edit: impl FnMut() -> Result<T, EditConfigError>,
) -> Result<T, EditConfigError> {
    for _ in 1..EDITS {
        match edit() {
            Err(EditConfigError::Changed { .. }) => {}
            edited => return edited,
        }
    }
    edit()
}

/// Where the file is: a symbolic link stays one.
fn target(path: &Path) -> Result<PathBuf, EditConfigError> {
    let write = |source| EditConfigError::Write {
        path: path.to_owned(),
        source,
    };
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(write(error)),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(EditConfigError::BrokenLink {
            path: path.to_owned(),
        }),
        Err(_) => Ok(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_another_program_keeps_is_not_waited_for_without_end() {
        let dir = tempfile::tempdir().unwrap();
        let file = FileText::read(&dir.path().join("config.toml"), FileLayer::User).unwrap();
        let held = file.lock(Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(file.lock(LOCK_INTERVAL).unwrap().is_none());
        let refused = file.replace("# ours").unwrap_err();
        assert!(
            matches!(refused, EditConfigError::Locked { .. }),
            "{refused}"
        );
        drop(held);
        file.replace("# ours").unwrap();
    }

    #[test]
    fn a_change_by_another_program_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        let read = || FileText::read(&path, FileLayer::User).unwrap();
        for (before, theirs) in [(None, "# a"), (Some("# a"), "# b"), (Some("# b"), "# bc")] {
            if let Some(text) = before {
                fs::write(&path, text).unwrap();
            }
            let file = read();
            let other = dir.path().join("other");
            fs::write(&other, theirs).unwrap();
            fs::rename(&other, &path).unwrap();
            let refused = file.replace("# ours").unwrap_err();
            assert!(matches!(refused, EditConfigError::Changed { .. }));
            assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        }
        read().replace("# ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "# ours");
    }
}
