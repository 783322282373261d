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
