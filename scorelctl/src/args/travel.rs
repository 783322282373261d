use std::path::PathBuf;

use clap::{Args, ValueEnum};
use scorel_proto::{OnConflict, RestoreOptions, RestoreScope};

use super::on_ask::OnAsk;
use super::target::TargetArgs;
use crate::turn_selector::TurnSelector;

#[derive(Debug, Args)]
pub(crate) struct RewindArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Where to go: a number of turns back, as `scorelctl tree` shows it, `root`, or the beginning
    /// or end of an event's id
    #[arg(
        value_name = "EVENT|-N",
        default_value = "-1",
        allow_negative_numbers = true
    )]
    pub(crate) event: TurnSelector,
    #[command(flatten)]
    pub(crate) files: MovedFilesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BranchArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The end of the branch: the beginning or end of an event's id, as `scorelctl tree` shows it
    #[arg(value_name = "EVENT", value_parser = event_of_branch)]
    pub(crate) event: TurnSelector,
    #[command(flatten)]
    pub(crate) files: MovedFilesArgs,
}

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
        default_missing_value = "tools"
    )]
    pub(crate) files: Option<WhichFiles>,
    /// Leave files as they are that something else has changed since, instead of moving nothing
    #[arg(long, requires = "files")]
    pub(crate) skip_conflicts: bool,
    /// Only say what would happen to each file
    #[arg(long, requires = "files")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhichFiles {
    Tools,
    All,
}

impl MovedFilesArgs {
    pub(crate) fn scope(&self) -> Option<RestoreScope> {
        self.files.map(|which| match which {
            WhichFiles::Tools => RestoreScope::Tools,
            WhichFiles::All => RestoreScope::All,
        })
    }

    pub(crate) fn options(&self) -> Option<RestoreOptions> {
        self.scope().map(|scope| RestoreOptions {
            scope: Some(scope),
            on_conflict: self.skip_conflicts.then_some(OnConflict::Skip),
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct CloneArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The last turn to copy: a number of turns back, as `scorelctl tree` shows it, `root` for the
    /// settings alone, or the beginning or end of an event's id
    #[arg(
        value_name = "EVENT|-N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub(crate) event: TurnSelector,
}

#[derive(Debug, Args)]
pub(crate) struct ResendArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The turn whose message is replaced: a number of turns back, as `scorelctl tree` shows it, or
    /// the beginning or end of the id of its last event
    #[arg(
        long,
        value_name = "EVENT|-N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub(crate) turn: TurnSelector,
    /// Switch the session to this model
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// Print the session id and exit once the message is accepted
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// What to do when a tool needs permission [default: ask on a terminal, else deny]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_ask: Option<OnAsk>,
    /// Attach a file of the project, text or a picture; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// The new message, as `send` takes it; `-` reads standard input [default: the same message
    /// again]. What was attached stays
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

fn event_of_branch(text: &str) -> Result<TurnSelector, &'static str> {
    match text.parse() {
        Ok(selector @ TurnSelector::Event(_)) => Ok(selector),
        _ => Err("a branch is named by an event; `scorelctl rewind` goes back"),
    }
}
