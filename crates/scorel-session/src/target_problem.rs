/// The reason why an event cannot be the target of `rewind`, `branch`, `cloneSession` or a message's parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TargetProblem {
    /// The session's conversation has no such event.
    #[error("is not an event of this session's conversation")]
    Unknown,
    /// It is in the middle of a turn.
    #[error("is not the last event of a finished turn")]
    NotTurnEnd,
    /// The leaf is there already.
    #[error("is the active leaf already")]
    ActiveLeaf,
    /// `rewind`: it is not on the active path.
    #[error("is on another branch: `branch` goes there")]
    OtherBranch,
    /// `branch`: it is on the active path.
    #[error("is on the active branch: `rewind` goes there")]
    SameBranch,
}

impl TargetProblem {
    /// The name in the details of the protocol's error.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::NotTurnEnd => "not_turn_end",
            Self::ActiveLeaf => "active_leaf",
            Self::OtherBranch => "other_branch",
            Self::SameBranch => "same_branch",
        }
    }
}
