use std::fmt;

use serde::Serialize;

/// Something that is wrong in a package, or looks wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The path within the package.
    pub file: String,
    /// A JSON pointer into the file, or into its head; empty for all of it.
    pub pointer: String,
    pub code: ProblemCode,
    pub message: String,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// It is not of the format.
    Schema,
    DuplicateNode,
    /// An edge or the entry names a node that the graph does not have.
    MissingNode,
    MissingFile,
    MissingAgent,
    /// A path that leads out of the package, or is none.
    BadPath,
    NoEnd,
    /// No end can be reached from a node.
    DeadEnd,
    /// Two edges from one node have the same label.
    DuplicateLabel,
    UnsupportedNode,
    TooLarge,
    /// A warning: no way leads to a node.
    Unreachable,
    /// A warning: a step's head says something else than the graph, which counts.
    StepDiffers,
    /// A warning: a node has no tools to be left with.
    CannotLeave,
}

impl ProblemCode {
    /// True if a package that has it can run.
    pub const fn is_warning(self) -> bool {
        matches!(
            self,
            Self::Unreachable | Self::StepDiffers | Self::CannotLeave
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            pointer,
            message,
            ..
        } = self;
        match pointer.is_empty() {
            true => write!(f, "{file}: {message}"),
            false => write!(f, "{file}: {pointer}: {message}"),
        }
    }
}
