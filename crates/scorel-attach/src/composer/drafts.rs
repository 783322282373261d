use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::max_text::MAX_TEXT;
use super::private_file;
use super::state_dir::{StateDir, file_in};

/// The age of a draft that is removed.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
const MAX_DRAFTS: usize = 200;
/// The longest file; JSON may write a byte as six.
const MAX_FILE: u64 = 6 * MAX_TEXT as u64 + 4096;

/// The contents of a composer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub(super) text: String,
    /// Labels in the text, and what they stand for.
    #[serde(default)]
    pub(super) pastes: Vec<(String, String)>,
}

impl Draft {
    /// Returns whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// The drafts of all sessions, one file each.
#[derive(Debug, Clone)]
pub struct Drafts {
    state: StateDir,
}

impl Drafts {
    /// The drafts in a directory.
    pub const fn new(state: StateDir) -> Self {
        Self { state }
    }

    /// The draft of a session. One that is damaged or cannot be read is no draft.
    pub fn load(&self, session: &str) -> Option<Draft> {
        let path = file_in(&self.state.at("drafts"), session);
        let bytes = private_file::read_end(&path, MAX_FILE).ok()?;
        let draft: Draft = serde_json::from_slice(&bytes).ok()?;
        Some(draft).filter(|draft| !draft.is_empty() && draft.text.len() <= MAX_TEXT)
    }

    /// Keeps the draft of a session; an empty one is removed. Blocks.
    ///
    /// # Errors
    ///
    /// The disk is full, or the directory cannot be written. The draft before is kept then.
    pub fn save(&self, session: &str, draft: &Draft) -> io::Result<()> {
        if draft.is_empty() {
            return match fs::remove_file(file_in(&self.state.at("drafts"), session)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
        }
        let path = file_in(&self.state.made("drafts")?, session);
        private_file::write(&path, &serde_json::to_vec(draft)?)
    }

    /// Removes what is old: drafts may contain secrets. Blocks. What cannot be removed stays.
    pub fn tidy(&self) {
        let Ok(entries) = fs::read_dir(self.state.at("drafts")) else {
            return;
        };
        let mut files: Vec<(SystemTime, PathBuf)> =
            entries.flatten().filter_map(|it| dated(&it)).collect();
        files.sort_by(|one, other| other.cmp(one));
        let now = SystemTime::now();
        for (at, (written, path)) in files.iter().enumerate() {
            if at >= MAX_DRAFTS || is_old(*written, now) {
                remove(path);
            }
        }
    }
}

fn dated(entry: &DirEntry) -> Option<(SystemTime, PathBuf)> {
    Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
}

fn is_old(written: SystemTime, now: SystemTime) -> bool {
    now.duration_since(written).is_ok_and(|age| age > MAX_AGE)
}

fn remove(path: &Path) {
    // The next start tries again.
    let _ = fs::remove_file(path);
}
