use scorel_proto::{AgentTaskStatus, OutcomeReason};

use crate::records::AgentTaskEnding;
use crate::run_report::RunReport;

/// How many bytes of a result are in the record. The rest is a blob.
pub(crate) const INLINE: usize = 16 * 1024;

/// How a runtime ends whose session has come to rest. A long result still has to become a blob.
pub(crate) fn ending(report: RunReport) -> AgentTaskEnding {
    let (status, reason) = match report.outcome {
        Some(OutcomeReason::Completed) => (AgentTaskStatus::Completed, "completed"),
        Some(OutcomeReason::Limit) => (AgentTaskStatus::Failed, "a limit was reached"),
        Some(OutcomeReason::Cancelled) => (AgentTaskStatus::Interrupted, "cancelled"),
        Some(OutcomeReason::Interrupted) => (AgentTaskStatus::Interrupted, "the daemon stopped"),
        Some(OutcomeReason::Error) => (AgentTaskStatus::Failed, "its last turn failed"),
        None => (AgentTaskStatus::Interrupted, "it never ran"),
    };
    let reason = match report.error {
        Some(error) => format!("{reason}: {error}"),
        None => reason.to_owned(),
    };
    AgentTaskEnding {
        status,
        reason,
        last_message: report.last_message,
        blob: None,
        metadata: report.metadata,
    }
}

/// How a runtime ends that could not go on.
pub(crate) fn failed(reason: impl Into<String>) -> AgentTaskEnding {
    AgentTaskEnding {
        status: AgentTaskStatus::Failed,
        reason: reason.into(),
        ..AgentTaskEnding::before_it_began()
    }
}

/// The beginning of a text, at most `max` bytes.
pub(crate) fn beginning(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
