//! Checks a home or one of its sessions, and repairs damage.
//!
//! A check only reads and may run next to a daemon: it reads a log up to the length it had at first, and waits
//! for a line that is being appended. A repair takes the home's lock, and never loses bytes of a log: it
//! replaces a log only after a copy of it is durable.
//!
//! No format is declared here. Each file is read by the types of the crate that writes it
//! (`scorel-home`, `scorel-config`, `scorel-session`, `scorel-journal`), so a file is sound exactly if the daemon would
//! accept it.

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

use scorel_home::Home;

pub use error::FsckError;
pub use exit::FsckExit;
pub use output::{visible, write_error, write_report};
pub use report::FsckReport;

use checked::Checked;
use daemon::Daemon;

/// Check-and-repair passes: fixing a file's mode makes its content checkable, which may need another
/// repair.
const MAX_PASSES: usize = 3;

/// Checks the home at `root`, or one session of it, and changes nothing.
pub fn check(root: &Path, session: Option<&str>) -> Result<FsckReport, FsckError> {
    let home = existing(root)?;
    let daemon = Daemon::look(&home);
    let running = daemon.is_running();
    let checked = look(&home, &daemon, session)?;
    Ok(FsckReport::new(root, running, checked))
}

/// Checks the home at `root`, or one session of it, and repairs what can be repaired. Fails while a
/// daemon runs.
pub fn repair(root: &Path, session: Option<&str>) -> Result<FsckReport, FsckError> {
    let home = existing(root)?;
    let daemon = Daemon::keep_out(&home)?;
    let mut left = look(&home, &daemon, session)?;
    let mut repaired = Vec::new();
    let mut failures = Vec::new();
    for _ in 0..MAX_PASSES {
        let done = repair::repair(left.findings);
        failures = done.failures;
        // A pass that repairs nothing will not do better the next time.
        let progress = !done.repaired.is_empty();
        repaired.extend(done.repaired);
        left = look(&home, &daemon, session)?;
        if !progress {
            break;
        }
    }
    Ok(FsckReport::new(home.root(), false, left).after(repaired, failures))
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
