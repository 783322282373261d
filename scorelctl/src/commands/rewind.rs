use clap::Args;
use scorel_proto::{Rewind, RewindParams};

use super::{moved, restored};
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::commands::moved::MovedFilesArgs;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::turn_selector::TurnSelector;
use crate::turn_tree::TurnTree;

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

pub(super) async fn run(args: &RewindArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let end = tree.choose(&args.event)?;
    let target_event_id = end.map(|end| end.id);
    let place = (session_id, target_event_id);
    if args.files.dry_run {
        return moved::preview(place, &args.files, cli).await;
    }
    let params = RewindParams {
        session_id,
        target_event_id,
        expected_leaf_id: tree.leaf,
        restore_files: args.files.options(),
        command_id: Some(new_command_id()),
    };
    let restoring = params.restore_files.as_ref().map(|_| session_id);
    let moved = restored::call::<Rewind>(restoring, &params, cli).await?;
    moved::print(place, &moved, &args.files, cli.output)?;
    if let Some(leaf) = tree.leaf {
        let files = match args.files.files {
            Some(_) => " --files=all",
            None => "",
        };
        cli.note(&format!(
            "`scorelctl branch {leaf}{files}` goes back to where it was"
        ))?;
    }
    moved::check(&moved)
}
