use scorel_proto::{Branch, BranchParams};

use super::rewind::MovedLine;
use crate::args::BranchArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
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
            .hint("`scorelctl rewind root` begins the conversation anew"));
    };
    let params = BranchParams {
        session_id,
        leaf_event_id: end.id,
        expected_leaf_id: tree.leaf,
        command_id: Some(new_command_id()),
    };
    let seq = control.call::<Branch>(&params).await?.seq;
    let line = MovedLine {
        session_id,
        active_leaf_id: Some(end.id),
        seq,
    };
    result(output, &line, |output| {
        output.line(&format!("the conversation continues after {}", end.id))
    })?;
    Ok(Exit::Success)
}
