/// A text that is not the id, the path, the mode or the link target that it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct InvalidText {
    /// The rejected text, truncated to 64 characters: it may come from a hostile client.
    pub text: String,
    /// The expected form, such as "a session id (`ses_` and a ULID)".
    pub expected: &'static str,
}

impl InvalidText {
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self {
            text: text.chars().take(64).collect(),
            expected,
        }
    }
}
