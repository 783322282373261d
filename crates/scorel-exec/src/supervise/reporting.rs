//! Reports to the daemon, on standard error.

use std::io;

use crate::job::{SupervisorReport, write_report};

/// Writes a report. A failure means that the daemon is gone, which the end of standard input tells.
pub(super) fn report(report: &SupervisorReport) {
    write_report(report, io::stderr().lock());
}

/// Reports what the supervisor could not do.
pub(super) fn problem(what: &str, error: &io::Error) {
    report(&SupervisorReport::Problem(format!("{what}: {error}")));
}
