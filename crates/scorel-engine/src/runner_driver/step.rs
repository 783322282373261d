use scorel_proto::TurnError;

use crate::TurnStep;
use crate::ports::{PlanEntry, RunnerExit, RunnerLogStream, RunnerStart};

/// What a [`RunnerDriver`](crate::RunnerDriver) did, or needs to go on.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all steps are of the largest kind"
)]
pub enum RunnerStep {
    /// A step as of every turn: [`TurnStep::Event`], [`TurnStep::NeedPermission`] or
    /// [`TurnStep::Finished`].
    Turn(TurnStep),
    /// Something that only turns of runners have. Must be durable before the next step, but for logs
    /// and plans.
    Fact(RunnerFact),
    /// The prompt is due, with what the context does not hold yet; all of it after
    /// [`RunnerFact::ContextLost`], or if none was resumed. Answer with
    /// [`RunnerDriver::provide_prompt`](crate::RunnerDriver::provide_prompt).
    NeedPrompt,
    /// The open question is not asked any more.
    QuestionWithdrawn,
}

/// What only turns of runners have.
#[derive(Debug, Clone, PartialEq)]
pub enum RunnerFact {
    /// The runner was started. The prompt goes out after this is durable.
    Started(Box<RunnerStart>),
    /// The context has this id.
    Context {
        /// The runner's own id of it.
        id: String,
    },
    /// The context to resume is gone; a new one is made.
    ContextLost {
        /// Why, in the runner's words.
        reason: String,
    },
    /// Text for people.
    Log {
        /// Where it comes from.
        stream: RunnerLogStream,
        /// The text.
        text: String,
    },
    /// The runner's plan. Replaces the one before.
    Plan {
        /// Its entries.
        entries: Vec<PlanEntry>,
    },
    /// The runner has ended, or waits for the next turn.
    Exited {
        /// How it ended; `None` if it is kept.
        exit: Option<RunnerExit>,
    },
}

/// The reason why a turn ends before its runner is done.
#[derive(Debug, Clone)]
pub(super) enum EarlyEnd {
    Stopped(crate::StopCause),
    Limit(TurnError),
    /// A hook ends it, as completed.
    Hook,
}
