//! The trait that each protocol implements.

use scorel_engine::{
    RunnerAnswer, RunnerEnd, RunnerError, RunnerErrorKind, RunnerInput, ServiceReply,
};
use scorel_exec::RunEnd;

use crate::exchange::Exchange;
use crate::peer::Framing;

/// A protocol of runners, without its process: messages in, events and messages out.
pub(crate) trait Dialect: Send + 'static {
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// Begins the handshake.
    fn open(&mut self, out: &mut Exchange) -> Result<(), RunnerError>;

    /// Returns whether the handshake has ended and a prompt can be sent.
    fn is_open(&self) -> bool;

    /// The context's id, as far as it is known.
    fn context_id(&self) -> Option<&str>;

    /// The version that the handshake told.
    fn version(&self) -> Option<&str> {
        None
    }

    /// Takes a line, or a piece of text.
    fn receive(&mut self, piece: &[u8], out: &mut Exchange) -> Result<(), RunnerError>;

    fn prompt(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<(), RunnerError>;

    /// A wire without questions has none to answer.
    fn answer(
        &mut self,
        _question: &str,
        _answer: RunnerAnswer,
        _out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        Ok(())
    }

    /// A wire whose runners leave nothing to the daemon has none to answer.
    fn served(
        &mut self,
        _request: &str,
        _reply: Result<ServiceReply, String>,
        _out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        Ok(())
    }

    /// Returns whether a message of the running turn can be sent now.
    fn takes_steers(&self) -> bool {
        false
    }

    /// Returns whether the message is taken.
    fn steer(
        &mut self,
        _input: Vec<RunnerInput>,
        _out: &mut Exchange,
    ) -> Result<bool, RunnerError> {
        Ok(false)
    }

    /// Returns whether the program was asked.
    fn interrupt(&mut self, _out: &mut Exchange) -> Result<bool, RunnerError> {
        Ok(false)
    }

    /// The program has ended, and a turn was running. `errors` is the end of its error output.
    fn ended(&mut self, end: &RunEnd, errors: &str) -> Result<RunnerEnd, RunnerError> {
        Err(ended(end, errors))
    }
}

/// The error of a program that does not speak the protocol of its wire.
pub(crate) fn not_spoken(message: impl Into<String>) -> RunnerError {
    let error = RunnerError::new(RunnerErrorKind::Protocol, message);
    error.with_hint("update it, or check `type` and `command` of its table")
}

/// The error of a program that has ended before its turn.
pub(crate) fn ended(end: &RunEnd, errors: &str) -> RunnerError {
    use scorel_exec::{EndCause, ShellExit};
    let how = match (&end.cause, end.exit) {
        (EndCause::NotStarted(reason), _) => reason.clone(),
        (_, Some(ShellExit::Code(code))) => format!("the runner ended with exit code {code}"),
        (_, Some(ShellExit::Signal(signal))) => format!("the runner was ended by signal {signal}"),
        (_, None) => "the runner was lost".to_owned(),
    };
    let message = match errors {
        "" => how,
        errors => format!("{how}: {errors}"),
    };
    RunnerError::new(RunnerErrorKind::Failed, message)
}
