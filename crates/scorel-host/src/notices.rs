//! What the user is told in a turn.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use scorel_journal::{FileStorage, replace_file};
use scorel_permission::Mode;
use scorel_proto::NoticeBody;
use serde::{Deserialize, Serialize};

use crate::trusted_file::{self, Trust};

/// The file version that this program writes.
const VERSION: u32 = 1;

/// Upper bound of the file.
const MAX_BYTES: u64 = 64 * 1024;

const MODE_CHANGED: &str = "workspace_mode_changed";

const MODE_CHANGED_TEXT: &str = "\
The mode `workspace` has changed with this version: commands that run in the sandbox are no longer \
asked about. Still asked are the network, what leaves the sandbox, files outside of the project, \
protected files, and commands after which work or history is lost. The mode `ask` is what \
`workspace` was: set `mode = \"ask\"` under `[permissions]` to have it back. \
See docs/permissions.md.";

const NO_SANDBOX: &str = "sandbox_missing";

const NO_SANDBOX_TEXT: &str = "\
This kernel cannot keep commands in a sandbox, so that the mode `workspace` behaves like `ask`, and \
every command is asked about. `scorelctl doctor` says what is missing.";

/// Which notices this home has had: `notices.json`.
#[derive(Debug)]
pub(crate) struct Notices {
    path: PathBuf,
    /// Whether no session was in the home when the daemon started: there was nothing to change.
    is_new_home: bool,
    /// Whether the user knows what the mode `workspace` means.
    is_told: Mutex<bool>,
}

/// `notices.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoticesFile {
    version: u32,
    /// The codes of the notices that were given.
    told: Vec<String>,
}

impl Notices {
    /// `sessions` is the home's directory of sessions.
    pub(crate) fn new(path: PathBuf, sessions: &Path) -> Self {
        let has_sessions = sessions
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some());
        Self {
            path,
            is_new_home: !has_sessions,
            is_told: Mutex::new(false),
        }
    }

    /// What to say in a turn that runs commands in this mode. Blocks on the disk.
    pub(crate) fn of_turn(&self, mode: Mode, has_sandbox: bool) -> Vec<NoticeBody> {
        let mut notices = Vec::new();
        if mode != Mode::Workspace {
            return notices;
        }
        if self.is_news() {
            notices.push(notice(MODE_CHANGED, MODE_CHANGED_TEXT));
        }
        if !has_sandbox {
            notices.push(notice(NO_SANDBOX, NO_SANDBOX_TEXT));
        }
        notices
    }

    /// Whether the change of the mode is still to be said; from now on it is not.
    fn is_news(&self) -> bool {
        let mut is_told = self.is_told.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_told {
            return false;
        }
        *is_told = true;
        if self.was_told() {
            return false;
        }
        if let Err(error) = self.remember() {
            tracing::warn!(%error, "{} cannot be written", self.path.display());
        }
        !self.is_new_home
    }

    /// A file that is not understood is taken for one that says nothing.
    fn was_told(&self) -> bool {
        let Ok(Some((_, bytes))) = trusted_file::read(&self.path, MAX_BYTES, Trust::Home) else {
            return false;
        };
        let file: Result<NoticesFile, _> = serde_json::from_slice(&bytes);
        file.is_ok_and(|file| file.told.iter().any(|code| code == MODE_CHANGED))
    }

    fn remember(&self) -> std::io::Result<()> {
        let file = NoticesFile {
            version: VERSION,
            told: vec![MODE_CHANGED.to_owned()],
        };
        let mut text = serde_json::to_vec_pretty(&file)?;
        text.push(b'\n');
        replace_file(&FileStorage, &self.path, &text)
    }
}

fn notice(code: &str, text: &str) -> NoticeBody {
    NoticeBody {
        code: code.to_owned(),
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn codes(notices: &[NoticeBody]) -> Vec<&str> {
        notices.iter().map(|notice| notice.code.as_str()).collect()
    }

    /// What a daemon says in its next turn in the home.
    fn said(home: &Path, mode: Mode) -> Vec<String> {
        let notices = Notices::new(home.join("notices.json"), &home.join("sessions"));
        let said = notices.of_turn(mode, true);
        assert!(notices.of_turn(mode, true).is_empty(), "said twice");
        codes(&said).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_home_with_sessions_is_told_once_that_the_mode_changed() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("sessions/ses_1")).unwrap();
        assert!(said(home.path(), Mode::Ask).is_empty());
        assert_eq!(said(home.path(), Mode::Workspace), [MODE_CHANGED]);
        assert!(said(home.path(), Mode::Workspace).is_empty());
    }

    #[test]
    fn a_new_home_is_told_nothing_also_by_the_next_daemon() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("sessions")).unwrap();
        assert!(said(home.path(), Mode::Workspace).is_empty());
        fs::create_dir_all(home.path().join("sessions/ses_1")).unwrap();
        assert!(said(home.path(), Mode::Workspace).is_empty());
    }

    #[test]
    fn a_missing_sandbox_is_said_in_the_mode_that_relies_on_it() {
        let home = tempfile::tempdir().unwrap();
        let notices = Notices::new(home.path().join("n"), &home.path().join("sessions"));
        for mode in [Mode::Readonly, Mode::Ask, Mode::Full] {
            assert!(notices.of_turn(mode, false).is_empty());
        }
        assert_eq!(
            codes(&notices.of_turn(Mode::Workspace, false)),
            [NO_SANDBOX]
        );
    }
}
