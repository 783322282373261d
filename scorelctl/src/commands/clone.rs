use scorel_proto::{CloneSession, CloneSessionParams};

use crate::args::CloneArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;
use crate::turn_tree::TurnTree;

pub(super) async fn run(
    args: &CloneArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = args.target.project.as_deref();
    let session_id = target::existing(control, &args.target.session, project).await?;
    let tree = TurnTree::read(control, session_id).await?;
    let params = CloneSessionParams {
        session_id,
        event_id: tree.choose(&args.event)?.map(|end| end.id),
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<CloneSession>(&params).await?;
    result(output, &answer, |output| {
        output.line(&answer.session_id.to_string())
    })?;
    Ok(Exit::Success)
}
