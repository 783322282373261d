use super::RunnerAction;
use crate::ToolCall;

/// A runner asks whether it may do something.
#[derive(Debug, Clone, PartialEq)]
pub struct RunnerQuestion {
    /// Names the question, for its answer.
    pub id: String,
    /// The call that it is about, as the runner describes it.
    pub call: ToolCall,
    /// What the call would do.
    pub action: RunnerAction,
    /// The reason why it is asked, in the runner's words.
    pub reason: Option<String>,
}

/// The answer to a [`RunnerQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerAnswer {
    /// Yes, for this one time.
    Once,
    /// No, with the reason for the model.
    No(String),
}
