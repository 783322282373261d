use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::TargetArgs;

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
