//! Commands that a foreign agent has the session run for it.

use std::sync::Arc;

use scorel_engine::{Permit, TerminalExit};
use scorel_exec::{EndCause, Run, RunEnd, ShellExit};

use super::commands::CommandLifetime;
use super::{Commands, PlannedCommand};
use crate::error::ToolError;
use crate::session_files::SessionFiles;

/// A command of a foreign agent, in the session's sandbox. It ends with the last handle.
#[derive(Debug, Clone)]
pub struct Terminal(Run);

impl Commands {
    /// Starts a command within what `permit` grants. Blocks.
    ///
    /// # Errors
    /// It cannot be started, or not in a sandbox.
    pub fn start_terminal(
        &self,
        files: &SessionFiles,
        command: PlannedCommand,
        permit: &Permit,
    ) -> Result<Terminal, ToolError> {
        let (ready, order) = self.ready(
            files,
            Arc::new(command),
            permit,
            CommandLifetime::Foreground,
        )?;
        Ok(Terminal(self.hold(&ready, order)?.start()))
    }
}

impl Terminal {
    /// At most `limit` bytes of the end of the output, and whether there was more before.
    pub fn output(&self, limit: usize) -> (String, bool) {
        let (bytes, _) = self.0.counts();
        let skipped = bytes.saturating_sub(limit as u64);
        let section = self.0.section(skipped, limit);
        let is_cut = skipped > 0 || section.lost > 0;
        // A character that the limit cuts is left out.
        let text = match std::str::from_utf8(&section.bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                let begin = section.bytes.iter().position(|byte| byte & 0xC0 != 0x80);
                let whole = &section.bytes[begin.unwrap_or(section.bytes.len())..];
                String::from_utf8_lossy(if is_cut { whole } else { &section.bytes }).into_owned()
            }
        };
        (text, is_cut)
    }

    /// Its end; `None` while it runs.
    pub fn exit(&self) -> Option<TerminalExit> {
        self.0.ended().as_ref().map(exit)
    }

    /// Waits until no process of it is left.
    pub async fn wait(&self) -> TerminalExit {
        exit(&self.0.wait().await)
    }

    /// Ends it, gently first. Returns at once.
    pub fn stop(&self) {
        self.0.stop();
    }
}

/// SIGTERM, for a command that was stopped before its shell had started.
const STOPPED: i32 = 15;

/// The exit code of shells for a command that cannot be run.
const NOT_STARTED: u32 = 127;

fn exit(end: &RunEnd) -> TerminalExit {
    let (code, signal) = match (end.exit, &end.cause) {
        (Some(ShellExit::Code(code)), _) => (u32::try_from(code).ok(), None),
        (Some(ShellExit::Signal(signal)), _) => (None, Some(signal)),
        (None, EndCause::NotStarted(_)) => (Some(NOT_STARTED), None),
        (None, _) => (None, Some(STOPPED)),
    };
    TerminalExit { code, signal }
}
