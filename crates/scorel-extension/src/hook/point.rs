use scorel_proto::HookPoint;
use serde::Deserialize;

/// A point of a turn at which the context may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContextPoint {
    /// Before the turn's first request.
    Start,
    /// Before each later one.
    Call,
    /// Before a compaction or a trim.
    Trim,
    /// The model has nothing more to do.
    End,
}

impl ContextPoint {
    /// All of them, in the order of a turn.
    pub const ALL: [Self; 4] = [Self::Start, Self::Call, Self::Trim, Self::End];

    /// The point in the words of an entry; `None` before a request is sent.
    pub const fn of(point: HookPoint) -> Option<Self> {
        match point {
            HookPoint::Start => Some(Self::Start),
            HookPoint::Call => Some(Self::Call),
            HookPoint::Trim => Some(Self::Trim),
            HookPoint::End => Some(Self::End),
            HookPoint::Send => None,
        }
    }

    /// The point as it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Call => "call",
            Self::Trim => "trim",
            Self::End => "end",
        }
    }
}
