use std::ffi::OsStr;
use std::io;
use std::iter;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use crate::exit::Exit;
use crate::failure::Failure;

/// A program of the service manager, with the arguments that come first.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManagerProgram {
    name: &'static str,
    first: &'static [&'static str],
}

/// systemd's user manager.
pub(super) const SYSTEMCTL: ManagerProgram = ManagerProgram::new("systemctl", &["--user"]);

pub(super) const LOGINCTL: ManagerProgram = ManagerProgram::new("loginctl", &[]);

pub(super) const JOURNALCTL: ManagerProgram = ManagerProgram::new("journalctl", &["--user"]);

pub(super) const LAUNCHCTL: ManagerProgram = ManagerProgram::new("launchctl", &[]);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ManagerError {
    #[error("cannot run `{program}`: {source}")]
    Run {
        program: &'static str,
        source: io::Error,
    },
    #[error("`{call}`: {message}")]
    Failed { call: String, message: String },
}

impl ManagerProgram {
    const fn new(name: &'static str, first: &'static [&'static str]) -> Self {
        Self { name, first }
    }

    /// Runs it, and returns what it prints.
    pub(super) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<String, ManagerError> {
        let mut command = self.command(arguments);
        let ran = command.stdin(Stdio::null()).output();
        let output = ran.map_err(|source| ManagerError::Run {
            program: self.name,
            source,
        })?;
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        let words = iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
        Err(ManagerError::Failed {
            call: words.join(" "),
            message: match text(&output.stderr) {
                said if said.is_empty() => output.status.to_string(),
                said => said,
            },
        })
    }

    /// Replaces this process by it.
    pub(super) fn replace<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Failure {
        let source = self.command(arguments).exec();
        let program = self.name;
        ManagerError::Run { program, source }.into()
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(self.name);
        command.args(self.first).args(arguments);
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

impl From<ManagerError> for Failure {
    fn from(error: ManagerError) -> Self {
        let failure = Self::new(Exit::Unreachable, "service_manager", error.to_string());
        match error {
            ManagerError::Run { .. } => failure,
            ManagerError::Failed { .. } => failure
                .hint("`scorelctl service logs` and the files in ~/.scorel/logs say what happened"),
        }
    }
}
