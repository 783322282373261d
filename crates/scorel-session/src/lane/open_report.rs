//! What the journal found when it read a log.

use scorel_journal::OpenReport;
use scorel_proto::{NoticeBody, SessionId};

/// Writes torn lines and damage to the daemon's log.
pub(super) fn log_report(report: &OpenReport, id: SessionId) {
    if let Some(torn) = &report.torn {
        tracing::warn!(
            session = %id,
            offset = torn.offset,
            bytes = torn.len,
            moved_to = ?torn.moved_to,
            "the log ends with an unterminated line"
        );
    }
    for damage in &report.damage {
        tracing::error!(session = %id, offset = damage.offset, bytes = damage.len,
            reason = %damage.reason, "the log is damaged");
    }
}

/// The reason why the session fails if the journal found more damage than it lists: clients accept damage
/// place by place, and they cannot accept unlisted damage.
pub(super) fn beyond_repair(report: &OpenReport) -> Option<String> {
    let (listed, more) = (report.damage.len(), report.more_damage);
    (more > 0).then(|| format!("the log is damaged at {listed} places and {more} more"))
}

/// The notice about a log that ends, after `bytes`, before the length that the index of sessions
/// knows, although its checkpoint fits.
pub(super) fn older_log(bytes: u64, known: u64) -> NoticeBody {
    let gone = known.saturating_sub(bytes);
    NoticeBody {
        code: "older_log".to_owned(),
        text: format!(
            "this is an older copy of the conversation, such as a restored backup: its log is {gone} bytes shorter than the index of sessions knows"
        ),
    }
}
