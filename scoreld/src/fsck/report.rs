use std::path::{Path, PathBuf};

use super::finding::{Finding, Severity};
use super::{Checked, FsckExit};

/// What was found, and what was done about it.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) home: PathBuf,
    pub(super) daemon_running: bool,
    pub(super) sessions: u64,
    /// What was found and put right.
    pub(super) repaired: Vec<Finding>,
    /// What is there.
    pub(super) found: Vec<Finding>,
    /// Repairs that did not succeed.
    pub(super) failures: Vec<Failure>,
}

/// A repair that did not succeed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

impl Report {
    pub(super) fn new(home: &Path, daemon_running: bool, checked: Checked) -> Self {
        Self {
            home: home.to_owned(),
            daemon_running,
            sessions: checked.sessions,
            repaired: Vec::new(),
            found: checked.findings,
            failures: Vec::new(),
        }
    }

    pub(super) fn after(mut self, repaired: Vec<Finding>, failures: Vec<Failure>) -> Self {
        self.repaired = repaired;
        self.failures = failures;
        self
    }

    /// How many of what is there are that bad.
    pub(super) fn count(&self, severity: Severity) -> usize {
        let alike = |finding: &&Finding| finding.severity == severity;
        self.found.iter().filter(alike).count()
    }

    pub(super) fn exit(&self) -> FsckExit {
        if self.count(Severity::Note) == self.found.len() {
            FsckExit::Clean
        } else {
            FsckExit::Found
        }
    }
}
