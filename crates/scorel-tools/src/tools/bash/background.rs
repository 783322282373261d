//! Background commands.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use scorel_exec::{OutputSection, Run, RunEnd};

use super::stopped::SandboxFacts;
use crate::error::{ErrorCode, ToolError};
use crate::locked::lock;

/// Running background commands of a session.
const MAX_RUNNING: usize = 8;

/// Ended commands whose output is kept.
const MAX_ENDED: usize = 8;

/// The output of one call, in bytes.
const MAX_SECTION: usize = 30_000;

/// The background commands of a session.
#[derive(Debug, Default)]
pub(super) struct Background {
    commands: Mutex<Started>,
}

#[derive(Debug, Default)]
struct Started {
    last: u64,
    commands: VecDeque<BackgroundCommand>,
}

#[derive(Debug)]
struct BackgroundCommand {
    id: String,
    command: String,
    run: Run,
    facts: Option<SandboxFacts>,
    /// The output offset up to which was shown.
    shown: u64,
}

/// A part of a command's output.
pub(super) struct ReadPart {
    /// `None` if the command was running when the section was taken.
    pub(super) end: Option<RunEnd>,
    pub(super) facts: Option<SandboxFacts>,
    pub(super) section: OutputSection,
    /// Protected files that were put back so far.
    pub(super) restored: Vec<String>,
}

impl Background {
    /// Starts a command unless too many run, and returns its id.
    pub(super) fn start(
        &self,
        command: &str,
        start: impl FnOnce() -> Result<(Run, Option<SandboxFacts>), ToolError>,
    ) -> Result<String, ToolError> {
        let mut started = self.started();
        if started.running() >= MAX_RUNNING {
            let message = format!(
                "not run: {MAX_RUNNING} commands run in the background already; end one with BashStop"
            );
            return Err(ToolError::new(ErrorCode::TooMany, message));
        }
        started.forget_some();
        let (run, facts) = start()?;
        started.last += 1;
        let id = format!("bash_{}", started.last);
        started.commands.push_back(BackgroundCommand {
            id: id.clone(),
            command: command.to_owned(),
            run,
            facts,
            shown: 0,
        });
        Ok(id)
    }

    pub(super) fn get(&self, id: &str) -> Result<Run, ToolError> {
        let mut started = self.started();
        Ok(started.find(id)?.run.clone())
    }

    /// The next part of a command's output, or the part from offset `since` on.
    pub(super) fn read(&self, id: &str, since: Option<u64>) -> Result<ReadPart, ToolError> {
        let mut started = self.started();
        let command = started.find(id)?;
        // Before the output: of a command that has ended, the section then knows all of it. The other way
        // round it could end in between, and its last output would be left out as if there were none.
        let end = command.run.ended();
        let section = command
            .run
            .section(since.unwrap_or(command.shown), MAX_SECTION);
        command.shown = section.from + section.bytes.len() as u64;
        Ok(ReadPart {
            end,
            facts: command.facts.clone(),
            section,
            restored: command.run.restored(),
        })
    }

    pub(super) fn running(&self) -> usize {
        self.started().running()
    }

    /// The running commands: each id with the command's first line.
    pub(super) fn list(&self) -> Vec<(String, String)> {
        let started = self.started();
        let running = started
            .commands
            .iter()
            .filter(|it| it.run.ended().is_none());
        let described = running.map(|it| {
            let line = it.command.lines().next().unwrap_or_default();
            (it.id.clone(), line.to_owned())
        });
        described.collect()
    }

    fn started(&self) -> MutexGuard<'_, Started> {
        lock(&self.commands)
    }
}

impl Started {
    fn running(&self) -> usize {
        let running = self.commands.iter().filter(|it| it.run.ended().is_none());
        running.count()
    }

    /// Evicts the oldest ended commands above the limit.
    fn forget_some(&mut self) {
        let mut excess = (self.commands.len() - self.running()).saturating_sub(MAX_ENDED - 1);
        self.commands.retain(|command| {
            let keep = excess == 0 || command.run.ended().is_none();
            excess -= usize::from(!keep);
            keep
        });
    }

    fn find(&mut self, id: &str) -> Result<&mut BackgroundCommand, ToolError> {
        let position = self.commands.iter().position(|command| command.id == id);
        let Some(position) = position else {
            let ids: Vec<_> = self
                .commands
                .iter()
                .map(|command| command.id.as_str())
                .collect();
            let known = if ids.is_empty() {
                "there are none".to_owned()
            } else {
                format!("there are {}", ids.join(", "))
            };
            let message = format!("no command in the background has this id; {known}");
            return Err(ToolError::new(ErrorCode::NotFound, message));
        };
        Ok(&mut self.commands[position])
    }
}
