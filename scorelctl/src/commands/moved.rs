//! The common part of `rewind` and `branch`.

use clap::Args;
use scorel_proto::{
    EventId, MoveResult, OnConflict, PreviewRestoreParams, RestoreFilesResult, RestoreOptions,
    RestoreScope, Seq, SessionId,
};
use serde::Serialize;

use super::restored;
use crate::args::protocol_name;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Files that go where the conversation goes.
#[derive(Debug, Args)]
pub(crate) struct MovedFilesArgs {
    /// Also give the files the state that they had there: those that only tools have changed since, or
    /// all, also those that commands have changed, or other programs while a command ran
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "tools",
        value_parser = protocol_name::<RestoreScope>(["tools", "all"])
    )]
    pub(crate) files: Option<RestoreScope>,
    /// Leave files as they are that something else has changed since, instead of moving nothing
    #[arg(long, requires = "files")]
    pub(crate) skip_conflicts: bool,
    /// Only say what would happen to each file
    #[arg(long, requires = "files")]
    pub(crate) dry_run: bool,
}

impl MovedFilesArgs {
    pub(crate) fn options(&self) -> Option<RestoreOptions> {
        self.files.map(|scope| RestoreOptions {
            scope: Some(scope),
            on_conflict: self.skip_conflicts.then_some(OnConflict::Skip),
        })
    }
}

/// The output of a move of the leaf with `--json`, a stable format.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MovedLine<'a> {
    session_id: SessionId,
    active_leaf_id: Option<EventId>,
    seq: Seq,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a RestoreFilesResult>,
}

/// Says what would happen to each file if the leaf moved.
pub(super) async fn preview(
    (session_id, target): (SessionId, Option<EventId>),
    args: &MovedFilesArgs,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let params = PreviewRestoreParams {
        session_id,
        before_event_id: None,
        target_event_id: Some(target),
        scope: args.files,
    };
    restored::preview(&params, "--files=all", cli).await
}

/// Prints where the leaf is now, and what became of the files.
pub(super) fn print(
    (session_id, target): (SessionId, Option<EventId>),
    moved: &MoveResult,
    args: &MovedFilesArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    let files = moved.files.as_ref();
    let line = MovedLine {
        session_id,
        active_leaf_id: target,
        seq: moved.seq,
        files,
    };
    output.result(&line, |output| {
        match target {
            Some(id) => output.line(&format!("the conversation continues after {id}")),
            None => output.line("the conversation begins anew"),
        }?;
        match files {
            Some(files) => {
                restored::print(files, args.files.unwrap_or_default(), "--files=all", output)
            }
            None => Ok(()),
        }
    })
}

/// Fails if a file could not be restored.
pub(super) fn check(moved: &MoveResult) -> Result<(), Failure> {
    let failed = moved.files.as_ref().map(|files| files.failed.as_slice());
    restored::check(failed.unwrap_or_default())
}
