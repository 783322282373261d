//! Commands from their permits on.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_engine::{Permit, ToolContext, ToolOutcome, blocking, blocking_now};
use scorel_exec::HeldRun;
use tokio::time::Instant;

use super::commands::{CommandLifetime, ReadyCommand};
use super::recording::CommandRecording;
use super::{Commands, PlannedCommand, foreground, present};
use crate::error::ToolError;
use crate::session_files::SessionFiles;

/// The longest time that a prepared command may wait for its start. Files that people change meanwhile would count as
/// changed by the command, and the guard, whose snapshot is older, would put them back.
const FRESH: Duration = Duration::from_millis(100);

/// A command that was permitted and is being prepared, while its call is recorded.
///
/// It starts when it is [run](Self::run). Dropping this value ends the preparation, and nothing has
/// happened.
pub(super) struct BegunCommand {
    call: Arc<CommandCall>,
    held: BoxFuture<'static, Result<HeldCommand, ToolOutcome>>,
}

/// The parts from which a command is prepared.
struct CommandCall {
    commands: Arc<Commands>,
    files: Arc<SessionFiles>,
    planned: Arc<PlannedCommand>,
    permit: Permit,
}

/// A command that is prepared.
struct HeldCommand {
    ready: ReadyCommand,
    recording: CommandRecording,
    run: HeldRun,
    since: Instant,
}

impl Commands {
    /// Runs a command to its end within what `permit` grants, and shows its output as it comes.
    /// Cancelling ends its processes and keeps the output so far.
    pub async fn run(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        command: PlannedCommand,
        permit: &Permit,
        context: &ToolContext,
    ) -> ToolOutcome {
        self.begin(files, command, permit).run(context).await
    }

    /// Prepares a command within what `permit` grants, while its call is being recorded. Returns at once.
    /// Call it in a Tokio runtime.
    pub(super) fn begin(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        command: PlannedCommand,
        permit: &Permit,
    ) -> BegunCommand {
        let call = Arc::new(CommandCall {
            commands: Arc::clone(self),
            files: Arc::clone(files),
            planned: Arc::new(command),
            permit: permit.clone(),
        });
        let held = Arc::clone(&call).hold();
        BegunCommand { call, held }
    }
}

/// Waits for the preparation, which may take seconds: the user's login shell is asked before the first
/// command.
async fn unless_cancelled(
    held: BoxFuture<'static, Result<HeldCommand, ToolOutcome>>,
    context: &ToolContext,
) -> Result<HeldCommand, ToolOutcome> {
    tokio::select! {
        biased;
        held = held => held,
        () = context.cancel.cancelled() => Err(ToolOutcome::error("not run: stopped before it began")),
    }
}

impl BegunCommand {
    /// Starts the command, and runs it to its end as [`Commands::run`].
    pub(super) async fn run(self, context: &ToolContext) -> ToolOutcome {
        let result = self.run_to_end(context).await;
        result.unwrap_or_else(|outcome| outcome)
    }

    async fn run_to_end(self, context: &ToolContext) -> Result<ToolOutcome, ToolOutcome> {
        let Self { call, held } = self;
        let mut held = unless_cancelled(held, context).await?;
        if held.since.elapsed() > FRESH {
            drop(held);
            held = unless_cancelled(Arc::clone(&call).hold(), context).await?;
        }
        let HeldCommand {
            ready,
            recording,
            run,
            ..
        } = held;
        let start = move || -> Result<_, ToolOutcome> { Ok((recording.begin(), run.start())) };
        let (recording, run) = blocking(start).await?;
        let watched = foreground::watch(&run, &context.updates, &context.cancel).await;
        blocking(move || -> Result<_, ToolOutcome> {
            let blobs = &*call.files.host.blobs;
            let mut outcome =
                present::ended(&run, &watched, &ready.confinement, &ready.planned, blobs);
            recording.end(watched.end.is_some(), &mut outcome);
            Ok(outcome)
        })
        .await
    }
}

impl CommandCall {
    /// Prepares the command: its processes, and meanwhile the copies of the files that it may change.
    fn hold(self: Arc<Self>) -> BoxFuture<'static, Result<HeldCommand, ToolOutcome>> {
        blocking_now(move || -> Result<_, ToolError> {
            let (planned, permit) = (Arc::clone(&self.planned), &self.permit);
            let (ready, order) =
                self.commands
                    .ready(&self.files, planned, permit, CommandLifetime::Foreground)?;
            let run = self.commands.hold(&ready, order)?;
            let recording = CommandRecording::prepare(&self.files, permit);
            Ok(HeldCommand {
                ready,
                recording,
                run,
                since: Instant::now(),
            })
        })
    }
}
