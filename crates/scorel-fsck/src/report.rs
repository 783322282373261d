use std::path::{Path, PathBuf};

use crate::checked::Checked;
use crate::exit::FsckExit;
use crate::finding::{Finding, Severity};

/// The result of a check or repair.
#[derive(Debug)]
pub struct FsckReport {
    pub(crate) home: PathBuf,
    pub(crate) daemon_running: bool,
    pub(crate) sessions: u64,
    /// Findings that a repair fixed.
    pub(crate) repaired: Vec<Finding>,
    /// Findings that remain.
    pub(crate) found: Vec<Finding>,
    pub(crate) failures: Vec<RepairFailure>,
}
#[derive(Debug)]
pub(crate) struct RepairFailure {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

impl FsckReport {
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

    pub(crate) fn after(mut self, repaired: Vec<Finding>, failures: Vec<RepairFailure>) -> Self {
        self.repaired = repaired;
        self.failures = failures;
        self
    }

    /// Remaining findings of that severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let alike = |finding: &&Finding| finding.severity == severity;
        self.found.iter().filter(alike).count()
    }

    /// `Found` if anything but notes remains.
    pub fn exit(&self) -> FsckExit {
        if self.count(Severity::Note) == self.found.len() {
            FsckExit::Clean
        } else {
            FsckExit::Found
        }
    }
}
