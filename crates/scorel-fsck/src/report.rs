use std::path::{Path, PathBuf};

use crate::checked::Checked;
use crate::exit::FsckExit;
use crate::finding::{Finding, Severity};

/// What was found, and what was done about it.
#[derive(Debug)]
pub struct Report {
    pub(crate) home: PathBuf,
    pub(crate) daemon_running: bool,
    pub(crate) sessions: u64,
    /// What was found and put right.
    pub(crate) repaired: Vec<Finding>,
    /// What is there.
    pub(crate) found: Vec<Finding>,
    /// Repairs that did not succeed.
    pub(crate) failures: Vec<Failure>,
}

/// A repair that did not succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

impl Report {
    pub(crate) fn new(home: &Path, daemon_running: bool, checked: Checked) -> Self {
        Self {
            home: home.to_owned(),
            daemon_running,
            sessions: checked.sessions,
            repaired: Vec::new(),
            found: checked.findings,
            failures: Vec::new(),
        }
    }

    pub(crate) fn after(mut self, repaired: Vec<Finding>, failures: Vec<Failure>) -> Self {
        self.repaired = repaired;
        self.failures = failures;
        self
    }

    /// How many of what is there are that bad.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let alike = |finding: &&Finding| finding.severity == severity;
        self.found.iter().filter(alike).count()
    }

    /// The exit code that says this.
    #[must_use]
    pub fn exit(&self) -> FsckExit {
        if self.count(Severity::Note) == self.found.len() {
            FsckExit::Clean
        } else {
            FsckExit::Found
        }
    }
}
