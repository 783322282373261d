use std::fmt;

use futures_util::future::{BoxFuture, ready};
use scorel_proto::{Block, HookPoint};
use serde_json::Value;

use super::{Moment, MomentAnswer, Permit, ToolCall, ToolOutcome};

/// Looks at the calls of a turn and at its points, and may change them.
///
/// ```text
/// call ── before → plan → gate → begin → run → after ── result
/// start ── call ── … ── call ── end          trim, where room has to be made
///       └──────┴──────────┴──── send → model
/// ```
///
/// The consequence of its own failure is part of what a hook answers: the engine knows no failed hook.
/// The futures may be dropped when the turn is cancelled, and after a crash a hook may see a call again.
pub trait Hooks: fmt::Debug + Send + Sync {
    /// Names it in records and to the model.
    fn name(&self) -> &str;

    /// Looks at a call before it is planned. What it changes is planned, judged and asked about like
    /// what a model wrote. A call that a person was asked about does not come again.
    fn before(&self, _call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        Box::pin(ready(BeforeCall::default()))
    }

    /// Looks at the outcome of a call that has run, before it is recorded.
    fn after(
        &self,
        _call: &ToolCall,
        _permit: &Permit,
        _outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        Box::pin(ready(AfterCall::default()))
    }

    /// Returns whether the hook looks at this point of a turn. What it is shown there is not put together for
    /// one that does not.
    fn attends(&self, _point: HookPoint) -> bool {
        false
    }

    /// Looks at a point of the turn that it attends. The model reads a fold of the log: what the hook answers
    /// is recorded, and the hooks behind it see that. A model call that is repeated after a failure comes
    /// again with [`HookPoint::Send`] alone, and only with messages that were added since.
    fn at(&self, _moment: &Moment) -> BoxFuture<'static, MomentAnswer> {
        Box::pin(ready(MomentAnswer::default()))
    }
}

/// The answer of a hook about a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeCall {
    /// The arguments that take the place of the call's; a JSON object.
    pub input: Option<Value>,
    /// Its opinion of the call.
    pub opinion: CallOpinion,
}

/// A hook's opinion of a call. None makes the gate allow more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CallOpinion {
    /// The gate decides.
    #[default]
    None,
    /// A person is asked, unless the gate refuses the call. The text says why.
    Ask(String),
    /// The call does not run. The text says why.
    Deny(String),
}

/// The answer of a hook about an outcome. The files that a call has changed stay recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterCall {
    /// Takes the place of the content.
    pub content: Option<Vec<Block>>,
    /// Takes the place of the flag for failed calls.
    pub is_error: Option<bool>,
    /// Follows the content.
    pub added: Vec<Block>,
}
