mod agent_hint;

use std::io;

use scorel_client::{ClientError, SshProblem};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::{Value, json};

use crate::exit::Exit;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The reader of the output closed it. There is nothing left to do, and this is no error.
    #[error("the output was closed")]
    OutputClosed,
    /// A failure to report to the user.
    #[error("{}", .0.message)]
    Report(Box<FailureReport>),
}

/// A failure as it is reported, as text or as JSON.
#[derive(Debug)]
pub(crate) struct FailureReport {
    pub(crate) exit: Exit,
    /// A stable code: an error code of the protocol, or one of this program.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) details: Value,
}

impl FailureReport {
    fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code,
            message: message.into(),
            hint: None,
            details: Value::Null,
        }
    }

    /// The end of a command whose output has told why: for programs, which get an error with every exit
    /// code but 0.
    pub(crate) fn of_end(exit: Exit) -> Self {
        let code = match exit {
            Exit::Success | Exit::Internal => "internal",
            Exit::Usage => "usage",
            Exit::NotAccepted => "not_accepted",
            Exit::WaitFailed => "detached",
            Exit::TurnFailed => "turn_failed",
            Exit::TurnCancelled => "turn_cancelled",
            Exit::Unreachable => "unreachable",
            Exit::TimedOut => "timeout",
            Exit::Interrupted => "interrupted",
        };
        Self::new(exit, code, exit.meaning())
    }

    /// The report as one JSON object, a stable format.
    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({
            "code": self.code,
            "message": self.message,
            "exitCode": self.exit.code(),
        });
        if let Some(hint) = &self.hint {
            error["hint"] = json!(hint);
        }
        if !self.details.is_null() {
            error["details"] = self.details.clone();
        }
        json!({ "error": error })
    }
}

impl Failure {
    pub(crate) fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self::Report(Box::new(FailureReport::new(exit, code, message)))
    }

    /// An invalid command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// A command that is refused; nothing of it happened.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::NotAccepted, code, message)
    }

    /// Returns whether the command was refused, so that nothing of it happened.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Report(report) if matches!(report.exit, Exit::Usage | Exit::NotAccepted))
    }

    /// Adds what the user can do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Report(report) = &mut self {
            report.hint = Some(hint.into());
        }
        self
    }

    /// As [`Failure::hint`], if there is one.
    pub(crate) fn maybe_hint(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// As [`Failure::hint`], if the daemon refused the command with this code.
    pub(crate) fn hint_for(self, code: ErrorCode, hint: impl Into<String>) -> Self {
        self.hint_if(|report| report.code == code.name(), hint)
    }

    /// As [`Failure::hint`], if the report is such a one.
    pub(crate) fn hint_if(
        self,
        is_such: impl FnOnce(&FailureReport) -> bool,
        hint: impl Into<String>,
    ) -> Self {
        match &self {
            Self::Report(report) if is_such(report) => self.hint(hint),
            _ => self,
        }
    }

    /// Adds what programs can read about it.
    pub(crate) fn details(mut self, details: Value) -> Self {
        if let Self::Report(report) = &mut self {
            report.details = details;
        }
        self
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::new(Exit::Internal, "io", error.to_string()),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (exit, code) = match &error {
            ClientError::Rpc(rpc) => (Exit::NotAccepted, rpc.code.name()),
            ClientError::Incompatible { .. } => (Exit::Unreachable, "protocol_mismatch"),
            ClientError::Protocol(_) => (Exit::Internal, "protocol"),
            ClientError::TooLong { .. } => (Exit::NotAccepted, "payload_too_large"),
            ClientError::Identity(_) => (Exit::Internal, "identity"),
            ClientError::Unreachable { .. }
            | ClientError::Unresponsive
            | ClientError::Closed
            | ClientError::Home(_)
            | ClientError::Start(_) => (Exit::Unreachable, "unreachable"),
            ClientError::Ssh(error) => {
                let is_mismatch = matches!(error.problem, SshProblem::Incompatible { .. });
                let code = if is_mismatch {
                    "protocol_mismatch"
                } else {
                    "unreachable"
                };
                (Exit::Unreachable, code)
            }
        };
        let hint = error.hint().or_else(|| match &error {
            ClientError::Rpc(rpc) => own_hint(rpc)
                .or_else(|| agent_hint::of(rpc))
                .or_else(|| rpc_hint(rpc).map(str::to_owned)),
            _ => None,
        });
        let failure = Self::new(exit, code, error.to_string()).maybe_hint(hint);
        match error {
            ClientError::Rpc(rpc) => failure.details(rpc.details),
            _ => failure,
        }
    }
}

/// The hint that the daemon gives.
fn own_hint(error: &RpcError) -> Option<String> {
    error.details["hint"].as_str().map(str::to_owned)
}

fn rpc_hint(error: &RpcError) -> Option<&'static str> {
    Some(match error.code {
        ErrorCode::SessionNotFound => "`scorelctl sessions --all` lists the sessions",
        ErrorCode::ProjectNotFound => "`scorelctl projects` lists the projects",
        ErrorCode::MethodNotFound => "`scorelctl call rpc.discover` describes every method",
        ErrorCode::AgentTaskBusy => {
            "`scorelctl wait` waits until the session is idle; `scorelctl cancel` cancels the turn, with \
             `--clear-queue` also what is queued"
        }
        ErrorCode::Conflict if error.details["kind"] == "leaf" => {
            "another client was faster; `scorelctl tree` shows where the conversation is now"
        }
        ErrorCode::InvalidEventId => "`scorelctl tree` lists where turns end",
        ErrorCode::CannotRewindPastCompact => {
            "`scorelctl clone EVENT` makes a session that ends there, with whole messages"
        }
        ErrorCode::AttachmentRefused => attachment_hint(&error.details["kind"]),
        ErrorCode::QueuePaused => "send without `--while-running reject` to resume the queue",
        ErrorCode::StorageStalled => {
            "make room on the disk, or the home writable; then repeat the command"
        }
        ErrorCode::ShuttingDown | ErrorCode::Overloaded => "retry in a moment",
        ErrorCode::ProviderError if !error.details["keyVariables"].is_null() => {
            "write NAME=KEY into that file (mode 0600); the next message uses it"
        }
        ErrorCode::ProviderError => {
            "`scorelctl models --offline` lists models without querying any endpoint"
        }
        ErrorCode::InvalidParams if error.details["field"] == "model" => {
            "`scorelctl models` lists the available models"
        }
        ErrorCode::InvalidParams if error.details["field"] == "goto" => {
            "`scorelctl run show RUN` shows its nodes"
        }
        ErrorCode::RunNotFound => "`scorelctl run list --all` lists the runs",
        ErrorCode::StateInvalid => {
            "mend the document, or bring its last good state back: `scorelctl run repair RUN`"
        }
        ErrorCode::PackageMissing => {
            "`scorelctl run rebind RUN` binds it to the package that is installed"
        }
        ErrorCode::SessionFailed => "`scorelctl send --session new` starts a new session",
        _ => return None,
    })
}

/// The hint for a file that cannot be attached.
fn attachment_hint(kind: &Value) -> &'static str {
    match kind.as_str() {
        Some("not_found" | "invalid_path") => {
            "`--file` takes a path from the working directory; the file has to be in the project"
        }
        Some("outside") => "copy it into the project; the daemon reads attachments from there only",
        Some("denied") => {
            "`\\@` names a file without attaching it; docs/permissions.md tells what keeps it"
        }
        _ => "name the file in the message, with `\\@`, and the agent reads it with its tools",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_its_code_and_details_for_programs() {
        let error = RpcError::new(ErrorCode::AgentTaskBusy, "a turn is running")
            .with_details(json!({"phase": "running"}));
        let Failure::Report(report) = Failure::from(ClientError::Rpc(error)) else {
            panic!("a report")
        };
        let json = report.to_json();
        assert_eq!(json["error"]["code"], "runtime_busy");
        assert_eq!(json["error"]["exitCode"], 3);
        assert_eq!(json["error"]["details"]["phase"], "running");
        assert!(
            json["error"]["hint"]
                .as_str()
                .expect("a hint")
                .contains("scorelctl wait")
        );
    }

    #[test]
    fn the_hint_of_the_daemon_comes_before_ours() {
        let hint = |details| {
            let error = RpcError::new(ErrorCode::ProviderError, "no").with_details(details);
            let Failure::Report(report) = Failure::from(ClientError::Rpc(error)) else {
                panic!("a report")
            };
            report.hint.expect("a hint")
        };
        assert_eq!(hint(json!({"hint": "start it"})), "start it");
        assert!(hint(json!({"status": 500})).contains("--offline"));
    }

    #[test]
    fn a_closed_pipe_is_not_a_failure_to_report() {
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(closed), Failure::OutputClosed));
    }
}
