//! Reports to the daemon, on standard error.

use std::io::{self, Write as _};

use crate::job::SupervisorReport;

/// Writes a report. A failure means that the daemon is gone, which the end of standard input tells.
pub(super) fn report(report: &SupervisorReport) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ignored: io::Result<()> = io::stderr().lock().write_all(&line);
    }
}

/// Reports what the supervisor could not do.
pub(super) fn problem(what: &str, error: &io::Error) {
    report(&SupervisorReport::Problem(format!("{what}: {error}")));
}
