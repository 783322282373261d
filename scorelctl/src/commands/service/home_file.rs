use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use scorel_client::DaemonHome;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// The first lines of `env`, for whom opens it to add a key.
const ENV: &str = "\
# API keys as NAME=value lines. The daemon reads them when it needs one; no restart is needed.
";

/// A file of the service that this program writes as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServiceFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl ServiceFile {
    /// Returns whether the file says this already.
    pub(super) fn is_there(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|found| found == self.text)
    }

    /// Writes the file, unless it says this already. Returns whether it was written.
    pub(super) fn put(&self) -> Result<bool, Failure> {
        Self::refuse_link(&self.path)?;
        if self.is_there() {
            return Ok(false);
        }
        self.write()
            .map(|()| true)
            .map_err(|error| unwritten(&self.path, &error))
    }

    /// A symbolic link is not this program's.
    pub(super) fn refuse_link(path: &Path) -> Result<(), Failure> {
        if !path.is_symlink() {
            return Ok(());
        }
        let message = format!(
            "{} is a symbolic link: the unit is masked, or another program's",
            path.display()
        );
        Err(Failure::refused("not_ours", message)
            .hint("remove it (`systemctl --user unmask`), then install again"))
    }

    /// Removes the file; returns whether it was there.
    pub(super) fn remove(path: &Path) -> Result<bool, Failure> {
        match fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unwritten(path, &error)),
        }
    }

    /// Removes files; returns those that were there.
    pub(super) fn remove_all(
        paths: impl IntoIterator<Item = PathBuf>,
    ) -> Result<Vec<PathBuf>, Failure> {
        let mut removed = Vec::new();
        for path in paths {
            if Self::remove(&path)? {
                removed.push(path);
            }
        }
        Ok(removed)
    }

    fn write(&self) -> io::Result<()> {
        let dir = self.path.parent().unwrap_or_else(|| Path::new("/"));
        fs::create_dir_all(dir)?;
        let mut file = NamedTempFile::new_in(dir)?;
        file.write_all(self.text.as_bytes())?;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(0o644))?;
        file.persist(&self.path)?;
        Ok(())
    }
}

/// Makes the home and an `env` file for keys, readable by the user only, unless there is one. Returns its
/// path if it was made.
pub(super) fn make_env(home: &DaemonHome) -> Result<Option<PathBuf>, Failure> {
    home.create().map_err(scorel_client::ClientError::from)?;
    let path = home.path().join("env");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let made = options
        .open(&path)
        .and_then(|mut file| file.write_all(ENV.as_bytes()));
    match made {
        Ok(()) => Ok(Some(path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(unwritten(&path, &error)),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::refused("io", format!("cannot change {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_once_and_a_link_is_not_replaced() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = ServiceFile {
            path: dir.path().join("a/b.conf"),
            text: "x\n".to_owned(),
        };
        assert!(file.put().expect("written"));
        let mode = fs::metadata(&file.path).expect("a file").permissions();
        assert_eq!(mode.mode() & 0o777, 0o644);
        assert!(!file.put().expect("unchanged"));
        assert!(ServiceFile::remove(&file.path).expect("removed"));
        assert!(!ServiceFile::remove(&file.path).expect("nothing to remove"));
        std::os::unix::fs::symlink("/dev/null", &file.path).expect("a mask");
        file.put().expect_err("it is masked");
        assert!(file.path.is_symlink());
    }

    #[test]
    fn an_env_file_is_private_and_never_overwritten() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = DaemonHome::resolve(Some(&dir.path().join("h")), |_| None).expect("a home");
        let path = make_env(&home).expect("made").expect("a path");
        let mode = fs::metadata(&path).expect("a file").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        fs::write(&path, "KEY=1\n").expect("written");
        assert_eq!(make_env(&home).expect("left alone"), None);
        assert_eq!(fs::read_to_string(&path).expect("read"), "KEY=1\n");
    }
}
