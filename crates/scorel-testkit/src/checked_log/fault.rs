/// A violated invariant of a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogFault {
    #[error("cannot read the log: {0}")]
    Unreadable(String),
    #[error("the log is not UTF-8")]
    NotText,
    #[error("line {number}: {reason}")]
    Line {
        /// From 1.
        number: usize,
        reason: &'static str,
    },
    #[error("turn {turn_id}: {reason}")]
    Turn {
        turn_id: String,
        reason: &'static str,
    },
}
