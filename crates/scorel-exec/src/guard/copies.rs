//! Copies of git's configuration for a command, and what of their changes is taken over.
//!
//! The copy is compared and the file replaced when no process of the command is left. Nothing of the
//! command's is in the file before, so that a supervisor and a daemon that are killed leave it as it was.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, renameat};
use nix::sys::stat::{Mode, fchmod};
use nix::unistd::{UnlinkatFlags, symlinkat, unlinkat};

use super::files::{keep_version, new_file, read_file, write};
use super::outcome::RestoreOutcome;
use super::place::SettingsCopy;
use super::settings::{MAX_CONFIGURATION, refused_in};
use crate::git_settings::CheckedSettings;

/// The name of the copy, and that of the link to it.
const COPY: &str = "config";
pub(crate) const LINK: &str = "link";

/// Attempts to take git's lock on a configuration, and the pause between them.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// A configuration with a command's copy of it.
#[derive(Debug)]
pub(super) struct CopiedSettings {
    path: PathBuf,
    dir: OwnedFd,
    name: OsString,
    before: String,
    copy_path: PathBuf,
    copy: OwnedFd,
}

impl CopiedSettings {
    /// Makes the copies, and notes in `wanted` where. Those of which none can be made are taken out:
    /// they stay mounted read-only.
    pub(super) fn make(wanted: &mut Vec<SettingsCopy>) -> Vec<Self> {
        let mut made = Vec::new();
        wanted.retain_mut(|it| match Self::of(it) {
            Ok(Some(copied)) => {
                it.directory.clone_from(&copied.copy_path);
                made.push(copied);
                true
            }
            _ => false,
        });
        made
    }

    fn of(wanted: &SettingsCopy) -> io::Result<Option<Self>> {
        let (Some(parent), Some(name)) = (wanted.file.parent(), wanted.file.file_name()) else {
            return Ok(None);
        };
        let dir = directory(parent)?;
        let Some((mode, content)) = read_file(dir.as_fd(), name, MAX_CONFIGURATION)? else {
            return Ok(None);
        };
        let Ok(before) = String::from_utf8(content) else {
            return Ok(None);
        };
        let made = tempfile::Builder::new()
            .prefix(".scorel-git-")
            .tempdir_in(&wanted.directory)?;
        let copy = directory(made.path())?;
        // Not to the disk: it is of no use after a crash.
        let mut file = File::from(new_file(copy.as_fd(), OsStr::new(COPY))?);
        file.write_all(before.as_bytes())?;
        fchmod(&file, Mode::from_bits_truncate(mode))?;
        // By descriptor: a command that runs may exchange the directory.
        symlinkat(&made.path().join(COPY), &copy, LINK)?;
        Ok(Some(Self {
            path: wanted.file.clone(),
            dir,
            name: name.to_owned(),
            before,
            copy_path: made.keep(),
            copy,
        }))
    }

    /// Takes over the command's changes of harmless settings. Reports others by the path below `root`.
    pub(super) fn take_over(&self, root: Option<&Path>, outcome: &mut RestoreOutcome) {
        let shown = root.and_then(|root| self.path.strip_prefix(root).ok());
        let shown = shown.unwrap_or(&self.path);
        let after = match read_file(self.copy.as_fd(), OsStr::new(COPY), MAX_CONFIGURATION) {
            Ok(Some((_, after))) if after == self.before.as_bytes() => return,
            Ok(Some((_, after))) => after,
            Ok(None) => {
                let refused =
                    format!("something other than a file of at most {MAX_CONFIGURATION} bytes");
                return outcome.restored.push(refused_in(shown, &[refused]));
            }
            // Without a copy, there is nothing to take over.
            Err(_) => return,
        };
        match self.write(&after) {
            Ok(refused) if refused.is_empty() => {}
            Ok(refused) => outcome.restored.push(refused_in(shown, &refused)),
            Err(error) => outcome.failed.push(format!("{}: {error}", shown.display())),
        }
    }

    /// Returns the settings of which changes are refused.
    fn write(&self, after: &[u8]) -> io::Result<Vec<String>> {
        let dir = self.dir.as_fd();
        let mut lock_name = self.name.clone();
        lock_name.push(".lock");
        // As git does: its own changes meanwhile wait, or fail.
        let lock = self.lock(&lock_name)?;
        let written = (|| {
            let read = read_file(dir, &self.name, MAX_CONFIGURATION)?;
            let (mode, current) = read.ok_or_else(|| io::Error::other("not a file any more"))?;
            let current = String::from_utf8(current).map_err(io::Error::other)?;
            // What is not UTF-8 counts as what git cannot read.
            let after = str::from_utf8(after).unwrap_or("[");
            let checked = CheckedSettings::of(&self.before, after, &current);
            if checked.text != current {
                write(lock, mode, checked.text.as_bytes())?;
                renameat(dir, lock_name.as_os_str(), dir, self.name.as_os_str())?;
            }
            Ok(checked.refused)
        })();
        // Fails if it was renamed.
        let _ignored = unlinkat(dir, lock_name.as_os_str(), UnlinkatFlags::NoRemoveDir);
        if written.as_ref().is_ok_and(|refused| !refused.is_empty()) {
            keep_version(dir, &self.name, after)?;
        }
        written
    }

    fn lock(&self, name: &OsStr) -> io::Result<OwnedFd> {
        for _ in 0..TRIES {
            match new_file(self.dir.as_fd(), name) {
                Err(Errno::EEXIST) => sleep(PAUSE),
                other => return Ok(other?),
            }
        }
        Err(io::Error::other("git has locked it"))
    }
}

impl Drop for CopiedSettings {
    fn drop(&mut self) {
        // The session's temporary directory, which it is in, is removed later anyway.
        let _ignored = fs::remove_dir_all(&self.copy_path);
    }
}

pub(super) fn directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok(open(path, flags, Mode::empty())?)
}
