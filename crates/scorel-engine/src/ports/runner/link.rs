use std::path::PathBuf;

use futures_util::future::BoxFuture;

use super::{RunnerAnswer, RunnerError, RunnerEvent, RunnerInput, ServiceReply};

/// A running program with an open context.
///
/// Dropping it ends the program, at once and without its goodbye; [`RunnerLink::release`] does it in
/// order.
pub trait RunnerLink: Send {
    /// How the program was started.
    fn start(&self) -> &RunnerStart;

    /// Begins a turn. The input is sent while [`RunnerLink::next`] is awaited, as with all the methods
    /// below.
    ///
    /// # Errors
    /// The input cannot be sent, such as an image to a runner that takes none.
    fn prompt(&mut self, input: Vec<RunnerInput>) -> Result<(), RunnerError>;

    /// The next event. Cancel-safe. May be awaited between turns, too: what comes then is a log text, a
    /// sign that the context was changed from elsewhere, or the program's end.
    ///
    /// # Errors
    /// The turn is over and the link is of no more use but for [`RunnerLink::release`].
    fn next(&mut self) -> BoxFuture<'_, Result<RunnerEvent, RunnerError>>;

    /// Answers a question, once. An answer to one that was withdrawn has no effect.
    ///
    /// # Errors
    /// Too much is waiting to be sent.
    fn answer(&mut self, question: &str, answer: RunnerAnswer) -> Result<(), RunnerError>;

    /// Answers a [`RunnerEvent::Serve`], once. The error is for the runner's model.
    ///
    /// # Errors
    /// Too much is waiting to be sent.
    fn served(
        &mut self,
        request: &str,
        reply: Result<ServiceReply, String>,
    ) -> Result<(), RunnerError>;

    /// Returns whether the running turn takes a message now: some runners do not at its beginning.
    fn takes_steers(&self) -> bool;

    /// Adds a message to the running turn. Returns whether the runner takes one.
    ///
    /// # Errors
    /// Too much is waiting to be sent, or the input cannot be.
    fn steer(&mut self, input: Vec<RunnerInput>) -> Result<bool, RunnerError>;

    /// Asks the program to end the turn, which it does with [`RunnerEvent::End`]. Returns whether it was
    /// asked: some can only be ended.
    ///
    /// # Errors
    /// Too much is waiting to be sent.
    fn interrupt(&mut self) -> Result<bool, RunnerError>;

    /// Returns whether it takes another prompt after a turn that ended.
    fn is_reusable(&self) -> bool;

    /// Ends the program: the end of its input, SIGTERM, SIGKILL, each a while after the other, until
    /// no process of it is left.
    fn release(self: Box<Self>) -> BoxFuture<'static, RunnerExit>;
}

/// How the program of a link was started, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerStart {
    /// The program with its arguments. They hold no prompt and no secret.
    pub command: Vec<String>,
    /// The directory that it works in.
    pub directory: PathBuf,
    /// Its version, if it tells one.
    pub version: Option<String>,
    /// True if a context was resumed.
    pub resumed: bool,
    /// The context's id, if it is known before the first prompt.
    pub context_id: Option<String>,
}

/// How the program of a link ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunnerExit {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Processes of it that could not be killed, and other trouble, for people.
    pub problems: Vec<String>,
}
