//! Checking a home, or one session of it, and repairing what is damaged.
//!
//! A check only reads, and it may run beside the daemon: it reads a log up to the length that it
//! found, and waits for a line that is being written. A repair needs the home's lock, and nothing
//! that was in a log goes away: a log is replaced only after a copy of it was made durable.

mod args;
mod blobs;
mod checkpoint;
mod daemon;
mod entry;
mod error;
mod events;
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
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub use args::FsckArgs;

use crate::home::{Home, HomeSource};
use daemon::Daemon;
use error::FsckError;
use finding::Finding;
use report::Report;

/// How often what a repair left is looked at once more: a file whose mode is put right can be
/// checked only then.
const MAX_PASSES: usize = 3;

/// How a check ends. The numbers are a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FsckExit {
    /// Nothing is wrong, or nothing any more.
    Clean = 0,
    /// Something is wrong and was not repaired.
    Found = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The check, or the repair, did not take place.
    Unchecked = 3,
}

impl From<FsckExit> for ExitCode {
    fn from(exit: FsckExit) -> Self {
        Self::from(exit as u8)
    }
}

/// Carries out the command.
pub(crate) fn run(args: &FsckArgs) -> FsckExit {
    let written = check_or_repair(args).and_then(|report| {
        let mut out = io::BufWriter::new(io::stdout().lock());
        output::write(&report, args.json, &mut out)
            .and_then(|()| out.flush())
            .map_err(FsckError::Print)?;
        Ok(report.exit())
    });
    written.unwrap_or_else(|error| {
        // Nowhere is left to say that this failed.
        let _ignored: io::Result<()> = output::write_error(&error, args.json, io::stderr().lock());
        FsckExit::Unchecked
    })
}

fn check_or_repair(args: &FsckArgs) -> Result<Report, FsckError> {
    let root = HomeSource::from_environment(args.home.clone()).locate()?;
    let found = fs::symlink_metadata(&root);
    let found = found.map_err(|source| FsckError::Home {
        path: root.clone(),
        source,
    })?;
    if !found.is_dir() {
        return Err(FsckError::NotDirectory { path: root });
    }
    let home = Home::unopened(&root);
    if args.repair {
        repair_home(&home, args.session.as_deref())
    } else {
        let daemon = Daemon::look(&home);
        let running = daemon.is_running();
        let checked = check(&home, &daemon, args.session.as_deref())?;
        Ok(Report::new(&root, running, checked))
    }
}

/// What a look at the home or the session found.
#[derive(Debug, Default)]
struct Checked {
    findings: Vec<Finding>,
    /// How many sessions were looked at.
    sessions: u64,
}

fn check(home: &Home, daemon: &Daemon, session: Option<&str>) -> Result<Checked, FsckError> {
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

fn repair_home(home: &Home, session: Option<&str>) -> Result<Report, FsckError> {
    let daemon = Daemon::keep_out(home)?;
    let mut left = check(home, &daemon, session)?;
    let mut repaired = Vec::new();
    let mut failures = Vec::new();
    for _ in 0..MAX_PASSES {
        let done = repair::repair(left.findings);
        failures = done.failures;
        let progress = !done.repaired.is_empty();
        repaired.extend(done.repaired);
        left = check(home, &daemon, session)?;
        if !progress {
            break;
        }
    }
    Ok(Report::new(home.root(), false, left).after(repaired, failures))
}

/// A path in the home, as people know it.
fn shown<'p>(path: &'p Path, home: &Path) -> &'p Path {
    path.strip_prefix(home).unwrap_or(path)
}
