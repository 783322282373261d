use scorel_engine::TurnEnd;

/// How the task of a turn left the turn.
pub(super) enum TurnExit {
    /// With its outcome recorded.
    Closed,
    /// The outcome has to be recorded.
    Open(TurnEnd),
    /// At a step boundary, for the next daemon.
    Parked,
}

impl From<TurnEnd> for TurnExit {
    fn from(end: TurnEnd) -> Self {
        Self::Open(end)
    }
}
