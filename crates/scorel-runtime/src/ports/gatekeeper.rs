use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::ToolCall;

/// Decides which tool calls may run.
pub trait Gatekeeper: fmt::Debug + Send + Sync {
    /// Judges one call, right before it would run. What the calls before it did is done.
    ///
    /// A call that means nothing may pass: its tool says so.
    fn judge(&self, call: &ToolCall) -> BoxFuture<'static, Verdict>;

    /// Somebody has allowed what `rules` say, those of one of this gatekeeper's questions, for the
    /// calls to come as well.
    fn allow(&self, rules: &[String]);
}

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It does not run; the model is told why.
    Refuse(String),
    /// Somebody is asked.
    Ask(Question),
}

/// What somebody is asked about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Why it must be asked.
    pub reason: String,
    /// The rules that would allow this from now on; none if each call must be asked for.
    pub rules: Vec<String>,
    /// How long the question stands; for ever if absent.
    pub timeout: Option<Duration>,
    /// Whether the call runs if nobody has answered by then.
    pub allow_at_timeout: bool,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// The call runs.
    Granted,
    /// It does not run; the model gets this text as its result.
    Refused(String),
}

/// Lets every call pass, for tools that need no permission.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gatekeeper for OpenGate {
    fn judge(&self, _: &ToolCall) -> BoxFuture<'static, Verdict> {
        Box::pin(std::future::ready(Verdict::Allow))
    }

    fn allow(&self, _: &[String]) {}
}
