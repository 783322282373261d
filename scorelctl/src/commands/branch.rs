use scorel_proto::{Branch, BranchParams};

use super::{moved, restored};
use crate::args::BranchArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::target;
use crate::turn_tree::TurnTree;

pub(super) async fn run(
    args: &BranchArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = args.target.project.as_deref();
    let session_id = target::existing(control, &args.target.session, project).await?;
    let tree = TurnTree::read(control, session_id).await?;
    let Some(end) = tree.choose(&args.event)? else {
        return Err(Failure::usage("a branch ends at an event")
            .hint("`scorelctl rewind root` starts the conversation over"));
    };
    let place = (session_id, Some(end.id));
    if args.files.dry_run {
        moved::preview(place, &args.files, control, output).await?;
        return Ok(Exit::Success);
    }
    let params = BranchParams {
        session_id,
        leaf_event_id: end.id,
        expected_leaf_id: tree.leaf,
        restore_files: args.files.options(),
        command_id: Some(new_command_id()),
    };
    let restoring = params.restore_files.as_ref().map(|_| session_id);
    let moved = restored::call::<Branch>(control, restoring, &params, output).await?;
    moved::print(place, &moved, &args.files, output)?;
    moved::check(&moved)?;
    Ok(Exit::Success)
}
