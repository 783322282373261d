use std::fmt;

use futures_util::future::{BoxFuture, ready};
use scorel_proto::{Block, Context, CustomMessageBody, TurnError};
use serde_json::Value;

use super::{Permit, ToolCall, ToolOutcome};

/// Looks at the calls and requests of a turn, and may change them.
///
/// ```text
/// call ── before → plan → gate → begin → run → after ── result
/// context ── before_request ── model
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

    /// Looks at what a model call would send. `index` counts the turn's model calls from 0. A call that
    /// is repeated after a failure does not come again.
    fn before_request(
        &self,
        _index: u32,
        _messages: &Context,
    ) -> BoxFuture<'static, BeforeRequest> {
        Box::pin(ready(BeforeRequest::Send))
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

/// The answer of a hook about a request.
#[derive(Debug, Clone, PartialEq)]
pub enum BeforeRequest {
    /// It is sent as it is.
    Send,
    /// The message is recorded, and becomes part of this request and of those that follow. The hooks
    /// behind this one see it.
    Inject(Box<CustomMessageBody>),
    /// The turn ends with this error.
    Refuse(TurnError),
}
