use scorel_proto::{Rewind, RewindParams};

use super::{moved, restored};
use crate::args::RewindArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::target;
use crate::turn_tree::TurnTree;

pub(super) async fn run(
    args: &RewindArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = args.target.project.as_deref();
    let session_id = target::existing(control, &args.target.session, project).await?;
    let tree = TurnTree::read(control, session_id).await?;
    let end = tree.choose(&args.event)?;
    let target_event_id = end.map(|end| end.id);
    let place = (session_id, target_event_id);
    if args.files.dry_run {
        moved::preview(place, &args.files, control, output).await?;
        return Ok(Exit::Success);
    }
    let params = RewindParams {
        session_id,
        target_event_id,
        expected_leaf_id: tree.leaf,
        restore_files: args.files.options(),
        command_id: Some(new_command_id()),
    };
    let restoring = params.restore_files.as_ref().map(|_| session_id);
    let moved = restored::call::<Rewind>(control, restoring, &params, output).await?;
    moved::print(place, &moved, &args.files, output)?;
    if let Some(leaf) = tree.leaf {
        let files = match args.files.files {
            Some(_) => " --files=all",
            None => "",
        };
        output.note(&format!(
            "`scorelctl branch {leaf}{files}` goes back to where it was"
        ))?;
    }
    moved::check(&moved)?;
    Ok(Exit::Success)
}
