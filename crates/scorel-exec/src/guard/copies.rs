//! Copies of git's configuration for a command, and what of their changes is taken over.
//!
//! The copy is compared and the file replaced when no process of the command is left: by the supervisor, since the
//! daemon may have been killed, or by the daemon if the supervisor was. Nothing of the command's is in the file before,
//! so that both of them killed leave it as it was.

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
use serde::{Deserialize, Serialize};

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

/// A copy that was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MadeCopy {
    file: PathBuf,
    directory: PathBuf,
    /// The text of both. Another command of the session may change the copy before it is opened.
    before: String,
}

/// A configuration with a command's copy of it.
#[derive(Debug)]
struct CopiedSettings {
    made: MadeCopy,
    dir: OwnedFd,
    name: OsString,
    copy: OwnedFd,
}

/// A command's copies. They are removed with the value.
#[derive(Debug, Default)]
pub(crate) struct SettingsCopies(Vec<CopiedSettings>);

impl SettingsCopies {
    /// Makes the copies, and notes in `wanted` where. Those of which none can be made are taken out:
    /// they stay mounted read-only.
    pub(crate) fn make(wanted: &mut Vec<SettingsCopy>) -> Self {
        let mut made = Vec::new();
        wanted.retain_mut(|it| match CopiedSettings::make(it) {
            Ok(Some(copied)) => {
                it.directory.clone_from(&copied.made.directory);
                made.push(copied);
                true
            }
            _ => false,
        });
        Self(made)
    }

    /// Opens copies that another process has made.
    pub(super) fn open(made: Vec<MadeCopy>) -> io::Result<Self> {
        let open = made.into_iter().map(CopiedSettings::open);
        Ok(Self(open.collect::<Result<_, _>>()?))
    }

    pub(crate) fn made(&self) -> Vec<MadeCopy> {
        self.0.iter().map(|it| it.made.clone()).collect()
    }

    /// Takes over the command's changes of harmless settings. Reports others by the path below `root`.
    pub(crate) fn take_over(&self, root: Option<&Path>, outcome: &mut RestoreOutcome) {
        for copied in &self.0 {
            copied.take_over(root, outcome);
        }
    }
}

impl CopiedSettings {
    fn make(wanted: &SettingsCopy) -> io::Result<Option<Self>> {
        let (Some(parent), Some(name)) = (wanted.file.parent(), wanted.file.file_name()) else {
            return Ok(None);
        };
        let Some((mode, content)) = read_file(directory(parent)?.as_fd(), name, MAX_CONFIGURATION)?
        else {
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
        let copied = Self::open(MadeCopy {
            file: wanted.file.clone(),
            directory: made.path().to_owned(),
            before,
        })?;
        let _kept = made.keep();
        Ok(Some(copied))
    }

    fn open(made: MadeCopy) -> io::Result<Self> {
        let parts = made.file.parent().zip(made.file.file_name());
        let (parent, name) = parts.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self {
            dir: directory(parent)?,
            name: name.to_owned(),
            copy: directory(&made.directory)?,
            made,
        })
    }

    fn take_over(&self, root: Option<&Path>, outcome: &mut RestoreOutcome) {
        let shown = root.and_then(|root| self.made.file.strip_prefix(root).ok());
        let shown = shown.unwrap_or(&self.made.file);
        let after = match read_file(self.copy.as_fd(), OsStr::new(COPY), MAX_CONFIGURATION) {
            Ok(Some((_, after))) if after == self.made.before.as_bytes() => return,
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
            let checked = CheckedSettings::of(&self.made.before, after, &current);
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
        let _ignored = fs::remove_dir_all(&self.made.directory);
    }
}

pub(super) fn directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok(open(path, flags, Mode::empty())?)
}
