use clap::Args;
use scorel_proto::{CloneSession, CloneSessionParams};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::turn_selector::TurnSelector;
use crate::turn_tree::TurnTree;

#[derive(Debug, Args)]
pub(crate) struct CloneArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The last turn to copy: a number of turns back, as `scorelctl tree` shows it, `root` for the
    /// settings alone, or the beginning or end of an event's id
    #[arg(
        value_name = "EVENT|-N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub(crate) event: TurnSelector,
}

pub(super) async fn run(args: &CloneArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let params = CloneSessionParams {
        session_id,
        event_id: tree.choose(&args.event)?.map(|end| end.id),
        command_id: Some(new_command_id()),
    };
    cli.tell::<CloneSession>(&params, |answer| answer.session_id.to_string())
        .await
}
