use scorel_proto::{EndWait, EndWaitParams, GetSession, GetSessionParams, Phase};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::exit::Exit;
use crate::failure::Failure;

pub(super) async fn run(args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(args).await?;
    let params = GetSessionParams { session_id };
    let session = cli.call::<GetSession>(&params).await?.session;
    let waiting = session
        .turn_id
        .filter(|_| session.phase == Phase::Waiting)
        .ok_or_else(|| Failure::new(Exit::NotAccepted, "conflict", "no turn waits"))?;
    let params = EndWaitParams {
        session_id,
        expected_turn_id: waiting,
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<EndWait>(&params).await?;
    cli.result(&answer, |output| output.line("the turn continues"))
}
