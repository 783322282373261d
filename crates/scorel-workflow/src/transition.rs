/// The meaning of a change of a run's document in the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    /// The run stays at its node.
    Stay,
    /// A node is completed, and the run goes on to a next one.
    Move {
        from: String,
        to: String,
        /// Absent if several ways lead there and no decision names one.
        label: Option<String>,
    },
    /// An end is completed, and with it the run.
    End { node: String },
}

impl Transition {
    /// The node that is completed.
    pub fn completed(&self) -> Option<&str> {
        match self {
            Self::Stay => None,
            Self::Move { from: node, .. } | Self::End { node } => Some(node),
        }
    }
}
