//! The arguments of `Bash`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::planned::CommandWish;
use crate::error::ToolError;

/// In bytes. Linux accepts arguments up to 128 KiB (`MAX_ARG_STRLEN`).
const MAX_COMMAND: usize = 100_000;

/// The longest reason, in bytes: a person reads it in a question.
const MAX_REASON: usize = 500;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);
const MAX_BACKGROUND_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BashArguments {
    /// The script for bash.
    pub(super) command: String,
    /// The working directory, in the project. Default: the project.
    pub(super) cwd: Option<String>,
    /// The time limit in milliseconds. Default 120000, at most 3600000; in the background no default, at
    /// most 86400000.
    pub(super) timeout_ms: Option<u64>,
    /// Whether to return at once and leave the command running. Default false.
    pub(super) background: Option<bool>,
    /// Whether the command needs network access, which the user may be asked for. Default false.
    pub(super) network: Option<bool>,
    /// Whether the command must run outside the sandbox, because it cannot work inside: it speaks to docker,
    /// ssh, `gh` or a system service, or writes elsewhere. The user is asked, and sees `reason`. Default
    /// false.
    pub(super) outside: Option<bool>,
    /// Required with `outside`: why the command cannot work in the sandbox, in one sentence for the user.
    pub(super) reason: Option<String>,
    /// The purpose of the command in a few words, for the user.
    #[expect(dead_code, reason = "user interfaces show a call's arguments")]
    pub(super) description: Option<String>,
}

impl BashArguments {
    /// Checks what the schema cannot express.
    pub(super) fn check(&self) -> Result<(), ToolError> {
        let refuse = |field: &str, message: String| {
            Err(ToolError::invalid(format!("`{field}` {message}")).with("field", field))
        };
        if self.command.trim().is_empty() {
            return refuse("command", "is empty".to_owned());
        }
        if self.command.contains('\0') {
            return refuse("command", "has a NUL character in it".to_owned());
        }
        let length = self.command.len();
        if length > MAX_COMMAND {
            let message = format!(
                "has {length} bytes, at most {MAX_COMMAND} are possible; write a script and run that"
            );
            return refuse("command", message);
        }
        if self.outside.unwrap_or(false) {
            let length = self.reason.as_deref().unwrap_or_default().trim().len();
            if length == 0 {
                let message =
                    "is required with `outside`: say why the command cannot work in the sandbox";
                return refuse("reason", message.to_owned());
            }
            if length > MAX_REASON {
                let message = format!("has {length} bytes, at most {MAX_REASON} are possible");
                return refuse("reason", message);
            }
        }
        let max = if self.background.unwrap_or(false) {
            MAX_BACKGROUND_TIMEOUT
        } else {
            MAX_TIMEOUT
        };
        let max = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
        match self.timeout_ms {
            Some(timeout) if !(1..=max).contains(&timeout) => {
                refuse("timeoutMs", format!("must be from 1 to {max}"))
            }
            _ => Ok(()),
        }
    }

    /// The needs of the command besides the sandbox.
    pub(super) fn wish(&self) -> CommandWish {
        match &self.reason {
            Some(reason) if self.outside.unwrap_or(false) => CommandWish::Unsandboxed {
                reason: reason.trim().to_owned(),
            },
            _ => CommandWish::Sandboxed {
                network: self.network.unwrap_or(false),
            },
        }
    }

    /// The time limit; none in the background by default.
    pub(super) fn timeout(&self) -> Option<Duration> {
        let given = self.timeout_ms.map(Duration::from_millis);
        let usual = (!self.background.unwrap_or(false)).then_some(DEFAULT_TIMEOUT);
        given.or(usual)
    }
}
