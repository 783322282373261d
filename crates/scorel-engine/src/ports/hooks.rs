use std::fmt;

use futures_util::future::{BoxFuture, ready};
use scorel_proto::{Block, HookPoint};
use serde_json::Value;

use super::{Moment, MomentAnswer, Permit, Question, ToolCall, ToolOutcome};

/// Looks at the calls of a turn and at its points, and may change them.
///
/// ```text
/// call ── before → plan → gate ─────────────→ begin → run → after ── result
///                          └─ question → person ─┘
/// start ── call ── … ── call ── end          trim, where room has to be made
///       └──────┴──────────┴──── send → model
/// ```
///
/// The consequence of its own failure is part of what a hook answers: the engine knows no failed hook.
/// The futures may be dropped when the turn is cancelled, and after a crash a hook may see a call again.
pub trait Hooks: fmt::Debug + Send + Sync {
    /// Names it in records and to the model.
    fn name(&self) -> &str;

    /// Returns whether the hook may answer questions with a yes: the user's own file says so.
    fn may_allow(&self) -> bool {
        false
    }

    /// Returns whether the hook changes no call before it runs. Neighbours of this kind look at a call at once.
    fn only_reads(&self) -> bool {
        false
    }

    /// Looks at a call before it is planned. What it changes is planned, judged and asked about like
    /// what a model wrote. A call that a person was asked about does not come again.
    fn before(&self, _call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        Box::pin(ready(BeforeCall::default()))
    }

    /// Looks at a question about a call that is to be put to a person. It does not come again after a crash: the
    /// person is asked.
    fn question(&self, _call: &ToolCall, _question: &Question) -> BoxFuture<'static, Reply> {
        Box::pin(ready(Reply::None))
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

    /// Returns whether the hook looks at [`Occasion::Begin`](super::Occasion::Begin). Those that look at points do not
    /// see it.
    fn attends_beginnings(&self) -> bool {
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
    /// The turn ends after this call, as completed. The text says why.
    pub ends_turn: Option<String>,
}

/// A hook's opinion of a call. The strongest of a chain counts: the first that stops it, else one that asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CallOpinion {
    /// The gate decides.
    #[default]
    None,
    /// A question that the gate would put to a person is answered with a yes, if the hook may do so and no hook
    /// behind it changes the call. It answers none that is always asked.
    Allow,
    /// A person is asked, unless the gate refuses the call. The text says why.
    Ask(String),
    /// The call does not run. The text says why.
    Deny(String),
    /// The hook could not look at the call, which therefore does not run. The text says why.
    Failed(String),
}

/// A hook's answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reply {
    /// A person is asked.
    #[default]
    None,
    /// Yes, as [`CallOpinion::Allow`].
    Allow,
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
    /// The turn ends after this call, as completed. The text says why.
    pub ends_turn: Option<String>,
}
