use clap::Args;
use scorel_proto::{Cancel, CancelChildren, CancelParams};

use super::stall::stall_text;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Also remove all queued messages
    #[arg(long)]
    pub(crate) clear_queue: bool,
    /// Also stop all runtimes that the session has given to agents [default: those that the cancelled
    /// turn has given]
    #[arg(long)]
    pub(crate) children: bool,
}

pub(super) async fn run(args: &CancelArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let params = CancelParams {
        children: args.children.then_some(CancelChildren::All),
        session_id,
        expected_turn_id: None,
        clear_queue: args.clear_queue.then_some(true),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<Cancel>(&params).await?;
    cli.result(&answer, |output| {
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
    })
}
