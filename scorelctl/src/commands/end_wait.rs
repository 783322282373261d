use scorel_proto::{EndWait, EndWaitParams, GetSession, GetSessionParams, Phase};

use crate::args::TargetArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

pub(super) async fn run(
    args: &TargetArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session_id = target::existing(control, &args.session, args.project.as_deref()).await?;
    let params = GetSessionParams { session_id };
    let session = control.call::<GetSession>(&params).await?.session;
    let waiting = session
        .turn_id
        .filter(|_| session.phase == Phase::Waiting)
        .ok_or_else(|| Failure::new(Exit::NotAccepted, "conflict", "no turn waits"))?;
    let params = EndWaitParams {
        session_id,
        expected_turn_id: waiting,
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<EndWait>(&params).await?;
    result(output, &answer, |output| output.line("the turn continues"))?;
    Ok(Exit::Success)
}
