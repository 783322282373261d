use scorel_proto::Session;

/// The outcome of comparing a session's summary with its log.
#[derive(Debug)]
pub(crate) enum SummaryCheck {
    Right,
    /// Another summary, and the length of the log that it covers.
    Changed(Box<Session>, Option<u64>),
    /// There is no log.
    Gone,
    /// With the reason.
    Unreadable(String),
}
