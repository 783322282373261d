use scorel_proto::{EndWait, EndWaitParams, Phase};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;

/// Ends the wait of the session's turn for a rate limit.
pub(super) async fn run(args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(args).await?;
    let session = cli.session(session_id).await?;
    let waiting = session.turn_id.filter(|_| session.phase == Phase::Waiting);
    let none = || Failure::refused("conflict", "no turn waits");
    let params = EndWaitParams {
        session_id,
        expected_turn_id: waiting.ok_or_else(none)?,
        command_id: Some(new_command_id()),
    };
    cli.tell::<EndWait>(&params, |_| "the turn continues".to_owned())
        .await
}
