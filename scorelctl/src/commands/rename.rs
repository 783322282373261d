use clap::Args;
use scorel_proto::{UpdateSession, UpdateSessionParams};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The new title: one line
    #[arg(value_name = "TITLE", required = true)]
    pub(crate) title: Vec<String>,
}

pub(super) async fn run(args: &RenameArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let params = UpdateSessionParams {
        session_id,
        title: Some(args.title.join(" ")),
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
        on_restart: None,
        refresh_instructions: None,
        command_id: Some(new_command_id()),
    };
    cli.tell::<UpdateSession>(&params, |answer| {
        let title = answer.session.title.as_deref().unwrap_or_default();
        format!("{session_id}  {}", one_line(title))
    })
    .await
}
