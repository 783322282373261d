//! `files`: lists the changes of a session to files, and restores files.

mod records;

use std::io;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use scorel_proto::{
    EventId, FileChange, FileState, OnConflict, PreviewRestoreParams, RestoreFiles,
    RestoreFilesParams, RestoreScope, SessionId,
};

use super::restored;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::output::Output;
use crate::wire_name::wire_name;
use records::{FileRecord, FileRecords};

#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(subcommand)]
    pub(crate) action: Option<FilesCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FilesCommand {
    /// List all changes [default]
    Log,
    /// Give the files the state that they had before an event
    Restore(RestoreArgs),
    /// Take back the last restore
    Undo(RestoreHow),
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Event id, or the beginning or end of one that `files log` lists [default: the beginning of the
    /// last turn that changed files]
    #[arg(value_name = "EVENT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) event: Option<String>,
    /// Also files that commands have changed, or other programs while a command ran
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) how: RestoreHow,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreHow {
    /// Leave files as they are that something else has changed since, instead of restoring none
    #[arg(long)]
    pub(crate) skip_conflicts: bool,
    /// Only say what would happen to each file
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(super) async fn run(args: &FilesArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let id = cli.session_id(&args.target).await?;
    let records = FileRecords::read(&mut cli.daemon, id).await?;
    match &args.action {
        None | Some(FilesCommand::Log) => log(&records, cli.output),
        Some(FilesCommand::Restore(args)) => {
            let before = match &args.event {
                Some(event) => records.find(event)?,
                None => records.last_turn()?,
            };
            let scope = match args.all {
                true => RestoreScope::All,
                false => RestoreScope::Tools,
            };
            restore(id, (before, scope), &args.how, cli).await
        }
        Some(FilesCommand::Undo(how)) => {
            let before = records.last_restore()?;
            restore(id, (before, RestoreScope::All), how, cli).await
        }
    }
}

fn log(records: &FileRecords, output: &mut Output) -> Result<(), Failure> {
    output.results(&records.records, |output| {
        if records.records.is_empty() {
            return output.note("this session has changed no files of the project");
        }
        records
            .records
            .iter()
            .try_for_each(|record| line(record, output))
    })
}

fn line(record: &FileRecord, output: &mut Output) -> io::Result<()> {
    let id = record.event_id;
    for change in &record.files {
        let by = wire_name(change.by);
        output.line(&format!(
            "{id}  {by:<7}  {}  {}",
            letter(change),
            change.path
        ))?;
    }
    match &record.unwatched {
        Some(reason) => output.line(&format!("{id}  command  ?  not watched: {reason}")),
        None => Ok(()),
    }
}

/// As git shows changes: added, deleted, modified.
const fn letter(change: &FileChange) -> char {
    match (&change.before, &change.after) {
        (FileState::Absent, _) => 'A',
        (_, FileState::Absent) => 'D',
        _ => 'M',
    }
}

async fn restore(
    session_id: SessionId,
    (before_event_id, scope): (EventId, RestoreScope),
    how: &RestoreHow,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    if how.dry_run {
        let params = PreviewRestoreParams {
            session_id,
            before_event_id: Some(before_event_id),
            target_event_id: None,
            scope: Some(scope),
        };
        return restored::preview(&params, "--all", cli).await;
    }
    let params = RestoreFilesParams {
        session_id,
        before_event_id,
        scope: Some(scope),
        on_conflict: how.skip_conflicts.then_some(OnConflict::Skip),
        command_id: Some(new_command_id()),
    };
    let files = restored::call::<RestoreFiles>(Some(session_id), &params, cli).await?;
    cli.result(&files, |output| {
        restored::print(&files, scope, "--all", output)
    })?;
    restored::check(&files.failed)
}
