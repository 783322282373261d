use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use scorel_home::trusted_file::{self, Stamp};
use scorel_journal::{FileStorage, replace_file};
use scorel_local::{LOCK_LIMIT, lock_directory};

use crate::ConfigError;
use crate::EditConfigError;
use crate::file_layer::{FileLayer, MAX_BYTES};

/// What precedes the text of some editors.
const BOM: &str = "\u{feff}";

/// The mode of the files that are made here.
const PRIVATE: u32 = 0o600;

/// The most tries of an edit.
const EDITS: usize = 64;

/// A configuration file as it was read, to be replaced.
#[derive(Debug)]
pub(super) struct FileText {
    /// Where it is, links followed.
    pub(super) target: PathBuf,
    /// `None` if it does not exist.
    stamp: Option<Stamp>,
    pub(super) bytes: Vec<u8>,
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
        let locked = lock_directory(&self.target, LOCK_LIMIT).map_err(write)?;
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
    fn a_file_that_another_program_keeps_locked_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        let file = FileText::read(&path, FileLayer::User).unwrap();
        let held = lock_directory(&path, LOCK_LIMIT).unwrap();
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
