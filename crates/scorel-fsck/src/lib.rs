//! Checking a home, or one session of it, and repairing what is damaged.
//!
//! A check only reads, and it may run beside the daemon: it reads a log up to the length that it
//! found, and waits for a line that is being written. A repair needs the home's lock, and nothing
//! that was in a log goes away: a log is replaced only after a copy of it was made durable.

mod blobs;
mod checked;
mod checkpoint;
mod daemon;
mod entry;
mod error;
mod events;
mod exit;
mod finding;
mod home_files;
mod log;
mod output;
mod receipts;
mod references;
mod repair;
mod report;
mod rewrite;
mod session;
mod sessions;
mod tail;

use std::fs;
use std::path::Path;

pub use error::FsckError;
pub use exit::FsckExit;
pub use output::{write_error, write_report};
pub use report::Report;

use checked::Checked;
use daemon::Daemon;
use scorel_host::Home;

/// How often what a repair left is looked at once more: a file whose mode is put right can be
/// checked only then.
const MAX_PASSES: usize = 3;

/// Checks the home at `root`, or one session of it, and changes nothing.
///
/// # Errors
/// There is no home or no such session.
pub fn check(root: &Path, session: Option<&str>) -> Result<Report, FsckError> {
    let home = existing(root)?;
    let daemon = Daemon::look(&home);
    let running = daemon.is_running();
    let checked = look(&home, &daemon, session)?;
    Ok(Report::new(root, running, checked))
}

/// Checks the home at `root`, or one session of it, and repairs what can be repaired.
///
/// # Errors
/// There is no home or no such session, or a daemon runs.
pub fn repair(root: &Path, session: Option<&str>) -> Result<Report, FsckError> {
    let home = existing(root)?;
    let daemon = Daemon::keep_out(&home)?;
    let mut left = look(&home, &daemon, session)?;
    let mut repaired = Vec::new();
    let mut failures = Vec::new();
    for _ in 0..MAX_PASSES {
        let done = repair::repair(left.findings);
        failures = done.failures;
        let progress = !done.repaired.is_empty();
        repaired.extend(done.repaired);
        left = look(&home, &daemon, session)?;
        if !progress {
            break;
        }
    }
    Ok(Report::new(home.root(), false, left).after(repaired, failures))
}

fn existing(root: &Path) -> Result<Home, FsckError> {
    let found = fs::symlink_metadata(root);
    let found = found.map_err(|source| FsckError::Home {
        path: root.to_owned(),
        source,
    })?;
    if !found.is_dir() {
        return Err(FsckError::NotDirectory {
            path: root.to_owned(),
        });
    }
    Ok(Home::unopened(root))
}

fn look(home: &Home, daemon: &Daemon, session: Option<&str>) -> Result<Checked, FsckError> {
    let mut checked = Checked::default();
    if let Some(wanted) = session {
        let id = sessions::find(&home.sessions(), wanted)?;
        session::check(home, daemon, id, &mut checked.findings);
        checked.sessions = 1;
    } else {
        home_files::check(home, daemon, &mut checked.findings);
        checked.sessions = sessions::check(home, daemon, &mut checked.findings);
    }
    Ok(checked)
}
