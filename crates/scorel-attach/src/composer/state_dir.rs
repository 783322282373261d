use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The directory for what a user has typed: `$XDG_STATE_HOME/scorel`, else `~/.local/state/scorel`.
#[derive(Debug, Clone)]
pub struct StateDir {
    path: PathBuf,
}

impl StateDir {
    /// The directory of a user with these variables; `None` without a home.
    pub fn of(xdg_state_home: Option<OsString>, home: Option<OsString>) -> Option<Self> {
        let state = xdg_state_home
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let home = home.map(PathBuf::from).filter(|path| path.is_absolute());
        let state = state.or_else(|| Some(home?.join(".local/state")))?;
        Some(Self {
            path: state.join("scorel"),
        })
    }

    /// A directory in it, which is made if it is missing, for this user only.
    pub(super) fn made(&self, name: &str) -> io::Result<PathBuf> {
        let dir = self.at(name);
        DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
        Ok(dir)
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// A file of this name, whatever the name contains.
pub(super) fn file_in(dir: &Path, name: &str) -> PathBuf {
    let safe = |char: char| {
        if char.is_ascii_alphanumeric() || char == '-' {
            char
        } else {
            '_'
        }
    };
    dir.join(name.chars().map(safe).collect::<String>())
}
