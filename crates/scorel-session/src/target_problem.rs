use std::fmt;

/// Why an event cannot be the target of `rewind`, `branch`, `cloneSession` or a message's parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetProblem {
    /// The session's conversation has no such event.
    Unknown,
    /// It is in the middle of a turn.
    NotTurnEnd,
    /// The leaf is there already.
    ActiveLeaf,
    /// `rewind`: it is not on the active path.
    OtherBranch,
    /// `branch`: it is on the active path.
    SameBranch,
}

impl TargetProblem {
    /// The name in the details of the protocol's error.
    #[must_use]
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

impl fmt::Display for TargetProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "is not an event of this session's conversation",
            Self::NotTurnEnd => "is not the last event of a finished turn",
            Self::ActiveLeaf => "is the active leaf already",
            Self::OtherBranch => "is on another branch: `branch` goes there",
            Self::SameBranch => "is on the active branch: `rewind` goes there",
        })
    }
}
