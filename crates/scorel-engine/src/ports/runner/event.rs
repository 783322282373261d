use scorel_proto::{Block, Cost, RunnerLogStream, Usage};
use serde_json::Value;

use super::{RunnerError, RunnerQuestion, ServiceRequest};
use crate::ToolCall;

/// What a runner reports of a turn.
///
/// The wires promise nothing about order: calls may end that were never begun, and a turn may end in the
/// middle of anything. [`RunnerDriver`](crate::RunnerDriver) makes a well-formed turn of it.
#[derive(Debug, Clone, PartialEq)]
pub enum RunnerEvent {
    /// The context has this id from now on.
    Context {
        /// The runner's own id of it.
        id: String,
    },
    /// Something for people, which is no part of the conversation.
    Log {
        /// Where it comes from.
        stream: RunnerLogStream,
        /// The text, of any length.
        text: String,
    },
    /// The runner works, although there is nothing to show.
    Progress,
    /// The model that answers.
    Model {
        /// As the runner names it.
        name: String,
    },
    /// More of the answer's text.
    Text {
        /// The added text.
        delta: String,
    },
    /// More of the reasoning.
    Thinking {
        /// The added text.
        delta: String,
    },
    /// The text or the reasoning is complete; what follows is a part of its own.
    PartEnd,
    /// The runner calls one of its tools. It runs it itself.
    Call(ToolCall),
    /// The latest state of a call.
    CallUpdate {
        /// The call.
        call_id: String,
        /// Replaces the state reported before.
        partial: Value,
    },
    /// A call has ended.
    CallEnd(RunnerCallEnd),
    /// The runner waits for an answer.
    Ask(RunnerQuestion),
    /// The runner no longer waits for it.
    AskWithdrawn {
        /// The question's id.
        id: String,
    },
    /// The runner has the daemon do something, and waits for the answer.
    Serve {
        /// Names the request, for its answer.
        id: String,
        /// The requested service.
        request: ServiceRequest,
    },
    /// Model calls were made. Never a total: nothing is reported twice.
    Spent(RunnerSpent),
    /// The runner's plan. Replaces the one before.
    Plan {
        /// Its entries, in order.
        entries: Vec<PlanEntry>,
    },
    /// The turn is over. The link takes another prompt, unless the turn failed.
    End(RunnerEnd),
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct RunnerCallEnd {
    /// The call.
    pub call_id: String,
    /// True if it failed or was refused.
    pub is_error: bool,
    /// What came of it.
    pub content: Vec<Block>,
    /// The same for programs; `None` for tools of the runner's own.
    pub details: Option<Box<Value>>,
}

/// What model calls used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunnerSpent {
    /// The tokens.
    pub usage: Usage,
    /// The money; `None` if the runner does not say.
    pub cost: Option<Cost>,
}

/// One entry of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanEntry {
    /// The task.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far an entry of a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// How a turn of a runner ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerEnd {
    /// It answered.
    Completed,
    /// It was interrupted.
    Interrupted,
    /// It reached a limit of its own; the text names it, such as `max_tokens`.
    Limit(String),
    /// It reported a failure.
    Failed(RunnerError),
}
