use clap::Args;
use scorel_proto::{Branch, BranchParams};

use super::{moved, restored};
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::commands::moved::MovedFilesArgs;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::turn_selector::TurnSelector;
use crate::turn_tree::TurnTree;

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

fn event_of_branch(text: &str) -> Result<TurnSelector, &'static str> {
    match text.parse() {
        Ok(selector @ TurnSelector::Event(_)) => Ok(selector),
        _ => Err("a branch is named by an event; `scorelctl rewind` goes back"),
    }
}

pub(super) async fn run(args: &BranchArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let Some(end) = tree.choose(&args.event)? else {
        return Err(Failure::usage("a branch ends at an event")
            .hint("`scorelctl rewind root` starts the conversation over"));
    };
    let place = (session_id, Some(end.id));
    if args.files.dry_run {
        return moved::preview(place, &args.files, cli).await;
    }
    let params = BranchParams {
        session_id,
        leaf_event_id: end.id,
        expected_leaf_id: tree.leaf,
        restore_files: args.files.options(),
        command_id: Some(new_command_id()),
    };
    let restoring = params.restore_files.as_ref().map(|_| session_id);
    let moved = restored::call::<Branch>(restoring, &params, cli).await?;
    moved::print(place, &moved, &args.files, cli.output)?;
    moved::check(&moved)
}
