use scorel_proto::{Branch, BranchParams};

use super::{moved, restored};
use crate::args::BranchArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::turn_tree::TurnTree;

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
