use std::fmt;

use futures_util::future::BoxFuture;

use super::{RunnerAnswer, RunnerEvent};

/// Calls of the daemon's own tools that a runner makes beside its protocol, in one turn.
///
/// Each is asked about like anything else that the runner wants to do, so hooks, rules and people decide, and is recorded
/// as a call of the turn. What is allowed runs here.
pub trait OwnCalls: fmt::Debug + Send + Sync {
    /// The next event of a call: [`RunnerEvent::Ask`], [`RunnerEvent::AskWithdrawn`] or [`RunnerEvent::CallEnd`].
    /// Cancel-safe.
    fn next(&self) -> BoxFuture<'_, RunnerEvent>;

    /// Answers a question, once. Returns whether it is one about these calls.
    fn answer(&self, question: &str, answer: &RunnerAnswer) -> bool;

    /// Returns whether a call has no result yet.
    fn is_busy(&self) -> bool;

    /// The turn is over: calls that run are cancelled, and there are no further ones.
    fn end(&self);
}
