use crate::finding::Finding;

/// The result of one pass over the home or the session.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) findings: Vec<Finding>,
    /// Sessions checked.
    pub(crate) sessions: u64,
}
