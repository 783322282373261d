/// A completion of the word at the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) sign: char,
    pub(crate) word: String,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) at: usize,
    /// Set once it is closed: it stays so until the word changes.
    pub(crate) is_closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The text that takes the word's place, without the sign.
    pub(crate) text: String,
    pub(crate) about: String,
}
