use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Effect, Permit};

/// Decides which calls may run, by their effects.
pub trait Gatekeeper: fmt::Debug + Send + Sync {
    /// Judges the effects of one planned call, right before it would run: the calls before it have
    /// ended. A call without effects is allowed. Where `hook_reason` is present, hooks want the call asked
    /// about, which the gatekeeper does unless it refuses the call.
    fn judge(&self, effects: &[Effect], hook_reason: Option<&str>) -> BoxFuture<'static, Verdict>;

    /// Adds `rules`, those of one of this gatekeeper's questions, to the allow rules from now on.
    fn allow(&self, rules: &[String]);
}

/// The decision about a call.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// The call runs with this permit.
    Allow(Permit),
    /// The call does not run; the text is its result.
    Refuse(String),
    /// A client is asked.
    Ask {
        /// What it is asked.
        question: Question,
        /// What the call gets if the answer is yes.
        permit: Permit,
    },
}

/// A question about a call, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The reason why it is asked.
    pub reason: String,
    /// The rules that would allow this from now on; empty if it must be asked every time.
    pub rules: Vec<String>,
    /// True if these may hold for the session only.
    pub session_only: bool,
    /// How long the question stands; without limit if absent.
    pub timeout: Option<Duration>,
    /// True if the call runs when the timeout passes without an answer.
    pub allow_at_timeout: bool,
}

impl Question {
    /// Returns whether no rule can answer it, so that a hook cannot either.
    pub fn is_always_asked(&self) -> bool {
        self.rules.is_empty()
    }
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// The call runs.
    Granted,
    /// The call does not run; the text is its result.
    Refused(String),
}

/// A gatekeeper that allows every call with the default [`Permit`], and asks only for hooks: for tools that
/// need no permission.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gatekeeper for OpenGate {
    fn judge(&self, _: &[Effect], hook_reason: Option<&str>) -> BoxFuture<'static, Verdict> {
        let permit = Permit::default();
        let verdict = match hook_reason {
            None => Verdict::Allow(permit),
            Some(reason) => Verdict::Ask {
                question: Question {
                    reason: reason.to_owned(),
                    rules: Vec::new(),
                    session_only: false,
                    timeout: None,
                    allow_at_timeout: false,
                },
                permit,
            },
        };
        Box::pin(std::future::ready(verdict))
    }

    fn allow(&self, _: &[String]) {}
}
