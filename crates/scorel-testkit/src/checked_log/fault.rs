/// What is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogFault {
    /// The file cannot be read.
    #[error("the log cannot be read: {0}")]
    Unreadable(String),
    /// The file is not UTF-8.
    #[error("the log is not text")]
    NotText,
    /// One line is not what it should be.
    #[error("line {number}: {reason}")]
    Line {
        /// The line, from 1.
        number: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A turn is not what it should be.
    #[error("turn {turn_id}: {reason}")]
    Turn {
        /// The turn.
        turn_id: String,
        /// What is wrong.
        reason: &'static str,
    },
}
