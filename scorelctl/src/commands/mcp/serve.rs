use std::path::PathBuf;

use clap::Args;
use scorel_client::Caller;
use scorel_mcp::Answering;

use crate::daemon::{DaemonConnector, PATIENCE, no_daemon};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct McpServeArgs {
    /// Let the client answer permission requests too, each for one call
    #[arg(long)]
    allow_answers: bool,
    /// Serve the tools of a turn to the runner that runs it, from the turn's socket
    #[arg(
        long,
        value_name = "SOCKET",
        hide = true,
        conflicts_with = "allow_answers"
    )]
    turn: Option<PathBuf>,
}

/// Serves a client until it closes standard input. Turns that run then go on. A turn's tools need no daemon but that of
/// the turn, nor a home.
pub(crate) async fn serve(
    args: McpServeArgs,
    link: Result<DaemonConnector, Failure>,
) -> Result<(), Failure> {
    if let Some(socket) = args.turn {
        return Ok(scorel_mcp::serve_turn(socket).await?);
    }
    let link = link?;
    let connection = link.connect_identified().await;
    let connection = connection.map_err(|error| no_daemon(link.start, error))?;
    let caller = Caller::new(link.clone(), connection, PATIENCE);
    let answering = match args.allow_answers {
        true => Answering::Client,
        false => Answering::People,
    };
    Ok(scorel_mcp::serve_sessions(caller, link.never_starting(), answering).await?)
}
