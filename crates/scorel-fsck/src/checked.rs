use crate::finding::Finding;

/// What a look at the home or the session found.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) findings: Vec<Finding>,
    /// How many sessions were looked at.
    pub(crate) sessions: u64,
}
