//! The reports of a supervisor, collected into the end of a run.

use std::io::{self, Read};
use std::time::Duration;

use crate::guard::RestoreOutcome;
use crate::job::{EndedProcesses, ShellExit, SupervisorReport, take_line};
use crate::limits::{LimitKind, ReachedLimit, ResourceUsage};
use crate::run::{EndCause, RunEnd};

/// The longest line that is collected, in bytes. A report has at most 100 paths.
const MAX_REPORT: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(crate) struct SupervisorReports {
    /// Bytes after the last complete line.
    partial: Vec<u8>,
    failed: Option<String>,
    pub(crate) exit: Option<ShellExit>,
    timed_out: bool,
    /// The limit that the supervisor has seen reached.
    pub(crate) limit: Option<LimitKind>,
    /// The command's usage at the last measurement.
    pub(crate) usage: Option<ResourceUsage>,
    /// A failure of the supervisor, or of the daemon itself.
    pub(crate) problems: Vec<String>,
    /// The paths that were restored while the command runs.
    pub(crate) restored_so_far: Vec<String>,
    /// The guarded places that the supervisor has restored.
    pub(crate) restored: Option<RestoreOutcome>,
    /// The supervisor's last report.
    pub(crate) ended: Option<EndedProcesses>,
}

impl SupervisorReports {
    pub(crate) fn not_started(error: &io::Error) -> Self {
        Self {
            failed: Some(format!("cannot start a supervisor: {error}")),
            ended: Some(EndedProcesses::default()),
            ..Self::default()
        }
    }

    /// Takes what the supervisor had `restored` until it was killed, and what the daemon restored in its stead; `None` if that
    /// has no snapshot either.
    pub(crate) fn restored_here(&mut self, restored: Vec<String>, outcome: Option<RestoreOutcome>) {
        let mut all = RestoreOutcome {
            restored,
            ..RestoreOutcome::default()
        };
        all.add(outcome.unwrap_or_else(|| RestoreOutcome {
            restored: Vec::new(),
            has_gaps: true,
            failed: vec!["the supervisor, which knew the protected files, was killed".to_owned()],
        }));
        self.restored = Some(all);
    }

    /// Adds what the daemon restored after the supervisor.
    pub(crate) fn restored_after(&mut self, outcome: RestoreOutcome) {
        self.restored.get_or_insert_default().add(outcome);
    }

    /// Reads once and takes complete lines. Returns `false` at the end.
    pub(crate) fn read(&mut self, source: &mut impl Read) -> bool {
        let mut chunk = [0; 4096];
        match source.read(&mut chunk) {
            Ok(0) => return false,
            Ok(count) => self.partial.extend_from_slice(&chunk[..count]),
            Err(error) => return error.kind() == io::ErrorKind::Interrupted,
        }
        while let Some(line) = take_line(&mut self.partial) {
            match serde_json::from_slice(&line) {
                Ok(report) => self.take(report),
                // A panic message of the supervisor, for one.
                Err(_) => tracing::warn!(
                    text = %String::from_utf8_lossy(&line),
                    "a supervisor wrote something that is no report"
                ),
            }
        }
        self.partial.truncate(MAX_REPORT);
        true
    }

    fn take(&mut self, report: SupervisorReport) {
        match report {
            SupervisorReport::Failed(message) => self.failed = Some(message),
            SupervisorReport::Guarded(outcome) => self.restored = Some(outcome),
            SupervisorReport::Restored(paths) => self.restored_so_far.extend(paths),
            SupervisorReport::Uses(usage) => self.usage = Some(usage),
            SupervisorReport::LimitReached(kind) => self.limit = Some(kind),
            SupervisorReport::Problem(problem) => self.problems.push(problem),
            SupervisorReport::Exited(exit) => self.exit = Some(exit),
            SupervisorReport::TimedOut => self.timed_out = true,
            SupervisorReport::Ended(ended) => self.ended = Some(ended),
        }
    }

    /// `limit` is the one that the command reached.
    pub(crate) fn into_end(
        self,
        is_stopping: bool,
        limit: Option<ReachedLimit>,
        duration: Duration,
    ) -> RunEnd {
        let cause = match self.failed {
            Some(message) => EndCause::NotStarted(message),
            None if self.timed_out => EndCause::TimedOut,
            None if is_stopping => EndCause::Stopped,
            None if self.ended.is_none() => EndCause::SupervisorLost,
            None => EndCause::Exited,
        };
        let processes = self.ended.unwrap_or_default();
        let outcome = self.restored.unwrap_or_default();
        let mut problems = self.problems;
        let failed = outcome.failed.into_iter();
        problems.extend(failed.map(|place| format!("cannot restore {place}")));
        if processes.survivors > 0 {
            let count = processes.survivors;
            problems.push(format!("{count} processes cannot be killed"));
        }
        RunEnd {
            cause,
            exit: self.exit,
            duration,
            signalled: processes.signalled,
            survivors: processes.survivors,
            unprotected: outcome.has_gaps,
            restored: outcome.restored,
            limit,
            problems,
        }
    }
}
