use scorel_proto::{Cancel, CancelChildren, CancelParams};

use super::stall::stall_text;
use crate::args::CancelArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

pub(super) async fn run(
    args: &CancelArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let wanted = &args.target.session;
    let session_id = target::existing(control, wanted, args.target.project.as_deref()).await?;
    let params = CancelParams {
        children: args.children.then_some(CancelChildren::All),
        session_id,
        expected_turn_id: None,
        clear_queue: args.clear_queue.then_some(true),
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<Cancel>(&params).await?;
    result(output, &answer, |output| {
        output.line(if answer.cancelled {
            "cancelled"
        } else {
            "no turn is running"
        })?;
        if args.children {
            output.note("what it has given to agents is stopped; `scorelctl runtimes` lists it")?;
        }
        match &answer.storage_stalled {
            Some(stall) => output.note(&format!(
                "{}; it is lost if the daemon stops before that",
                stall_text("the log cannot be written", stall)
            )),
            None => Ok(()),
        }
    })?;
    Ok(Exit::Success)
}
