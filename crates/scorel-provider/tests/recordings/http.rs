/// What the decoder of events may answer in place of the crate's own error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("cut: {0}")]
    Cut(String),
    #[error("too large")]
    TooLarge,
    #[error("not UTF-8")]
    NotUtf8,
}
