use std::fmt;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use serde_json::{Value, json};

use super::RunnerAction;

/// What a runner has the daemon do in its place. Paths and text are the runner's own: not resolved, and
/// not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceRequest {
    /// Reads lines of a file.
    ReadFile {
        /// The file.
        path: PathBuf,
        /// The first line, from 1; the file's first one if absent.
        line: Option<usize>,
        /// How many lines; all that follow if absent.
        limit: Option<usize>,
    },
    /// Creates or replaces a file.
    WriteFile {
        /// The file.
        path: PathBuf,
        /// All of its content.
        content: String,
    },
    /// Starts a command.
    StartTerminal {
        /// As for a shell.
        command: String,
        /// The directory that it starts in; the turn's directory if absent.
        directory: Option<PathBuf>,
        /// The most of its output that is asked for, in bytes: the end of it.
        output_bytes: Option<usize>,
    },
    /// The output so far.
    TerminalOutput {
        /// The command, by the id that it was started with.
        terminal: String,
    },
    /// The end.
    WaitForTerminal {
        /// The command.
        terminal: String,
    },
    /// Ends a command. Its output stays.
    StopTerminal {
        /// The command.
        terminal: String,
    },
    /// Ends a command and forgets it.
    ReleaseTerminal {
        /// The command.
        terminal: String,
    },
}

impl ServiceRequest {
    /// Its tool and arguments, with what else a hook may look at; `None` if it only observes or ends a command.
    pub(crate) fn action(&self) -> Option<(RunnerAction, Value)> {
        Some(match self {
            Self::ReadFile { path, .. } => {
                let paths = vec![path.clone()];
                (RunnerAction::Read { paths }, json!({}))
            }
            Self::WriteFile { path, content } => {
                let paths = vec![path.clone()];
                (RunnerAction::Write { paths }, json!({ "content": content }))
            }
            Self::StartTerminal {
                command, directory, ..
            } => {
                let action = RunnerAction::Command {
                    command: command.clone(),
                    directory: directory.clone().unwrap_or_default(),
                };
                (action, json!({}))
            }
            Self::TerminalOutput { .. }
            | Self::WaitForTerminal { .. }
            | Self::StopTerminal { .. }
            | Self::ReleaseTerminal { .. } => return None,
        })
    }

    /// Returns whether an action that a client has allowed has this as a part.
    pub(crate) fn is_part_of(&self, action: &RunnerAction) -> bool {
        match (self, action) {
            (Self::ReadFile { path, .. }, RunnerAction::Read { paths })
            | (Self::WriteFile { path, .. }, RunnerAction::Write { paths }) => paths.contains(path),
            (
                Self::StartTerminal {
                    command, directory, ..
                },
                RunnerAction::Command {
                    command: allowed,
                    directory: place,
                },
            ) => command == allowed && directory.as_ref().is_none_or(|wanted| wanted == place),
            _ => false,
        }
    }
}

/// The answer to a [`ServiceRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceReply {
    /// It is done.
    Done,
    /// The lines.
    Text(String),
    /// The id of the command that was started.
    Started(String),
    /// What a command has written, and whether some of it is left out; its end, if it has ended.
    Output {
        /// The end of the output.
        text: String,
        /// True if there was more before.
        truncated: bool,
        /// `None` while it runs.
        exit: Option<TerminalExit>,
    },
    /// How a command ended.
    Exited(TerminalExit),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalExit {
    /// Its exit code.
    pub code: Option<u32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// Does for a runner what it asks for, as the session's own tools would: on the same files, in the same
/// sandbox, judged by the same rules.
pub trait RunnerServices: fmt::Debug + Send + Sync {
    /// Serves a request. `is_allowed` says that a client has allowed it. The error is for the runner's
    /// model.
    fn serve(
        &self,
        request: ServiceRequest,
        is_allowed: bool,
    ) -> BoxFuture<'static, Result<ServiceReply, String>>;

    /// Ends the commands that still run: the turn is over.
    fn end(&self);
}
