use scorel_proto::Session;

/// What a look at a log says of the summary that the catalogue has.
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
