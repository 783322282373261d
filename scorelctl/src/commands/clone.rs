use scorel_proto::{CloneSession, CloneSessionParams};

use crate::args::CloneArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::turn_tree::TurnTree;

pub(super) async fn run(args: &CloneArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let params = CloneSessionParams {
        session_id,
        event_id: tree.choose(&args.event)?.map(|end| end.id),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<CloneSession>(&params).await?;
    cli.result(&answer, |output| {
        output.line(&answer.session_id.to_string())
    })
}
