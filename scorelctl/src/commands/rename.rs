use scorel_proto::{UpdateSession, UpdateSessionParams};

use crate::args::RenameArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

pub(super) async fn run(
    args: &RenameArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let wanted = &args.target.session;
    let session_id = target::existing(control, wanted, args.target.project.as_deref()).await?;
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
    let answer = control.call::<UpdateSession>(&params).await?;
    let title = answer.session.title.as_deref().unwrap_or_default();
    result(output, &answer, |output| {
        output.line(&format!("{session_id}  {}", one_line(title)))
    })?;
    Ok(Exit::Success)
}
