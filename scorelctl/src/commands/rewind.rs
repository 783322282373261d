use scorel_proto::{EventId, Rewind, RewindParams, Seq, SessionId};
use serde::Serialize;

use crate::args::RewindArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;
use crate::turn_tree::TurnTree;

/// What a move of the leaf prints with `--json`, a stable format.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MovedLine {
    pub(super) session_id: SessionId,
    pub(super) active_leaf_id: Option<EventId>,
    pub(super) seq: Seq,
}

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
    let params = RewindParams {
        session_id,
        target_event_id,
        expected_leaf_id: tree.leaf,
        command_id: Some(new_command_id()),
    };
    let seq = control.call::<Rewind>(&params).await?.seq;
    let line = MovedLine {
        session_id,
        active_leaf_id: target_event_id,
        seq,
    };
    result(output, &line, |output| match target_event_id {
        Some(id) => output.line(&format!("the conversation continues after {id}")),
        None => output.line("the conversation begins anew"),
    })?;
    if let Some(leaf) = tree.leaf {
        output.note(&format!(
            "`scorelctl branch {leaf}` goes back to where it was"
        ))?;
    }
    Ok(Exit::Success)
}
