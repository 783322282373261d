//! Commands of plugins and extensions, and skills, as commands of the editor.

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, UnstructuredCommandInput,
};
use scorel_client::Connect;
use scorel_proto::{
    Block, CommandId, CommandInfo, ErrorCode, ListCommands, ListCommandsParams, RunCommand,
    RunCommandParams, RunCommandResult,
};

use super::open_session::OpenSession;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::visible::one_line;

/// Commands that an editor is told of.
const MAX_COMMANDS: usize = 300;

/// The commands that an editor is told of; `None` if the daemon does not say.
pub(crate) async fn offered<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &OpenSession,
) -> Option<Vec<AvailableCommand>> {
    let params = ListCommandsParams {
        session_id: Some(session.id),
        project_id: None,
    };
    let found = daemon.call::<ListCommands>(&params).await.ok()?;
    let commands = found.commands.into_iter().take(MAX_COMMANDS);
    Some(commands.map(command).collect())
}

fn command(command: CommandInfo) -> AvailableCommand {
    let offered = AvailableCommand::new(command.name, one_line(&command.description));
    match command.argument_hint {
        None => offered,
        Some(hint) => {
            let hint = UnstructuredCommandInput::new(one_line(&hint));
            offered.input(AvailableCommandInput::Unstructured(hint))
        }
    }
}

/// Runs the command that a prompt is. `None` if it is not a command, and is to be sent as it is.
pub(crate) async fn run<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &OpenSession,
    blocks: &[Block],
    command_id: &CommandId,
) -> Result<Option<RunCommandResult>, Failure> {
    let [Block::Text { text, .. }] = blocks else {
        return Ok(None);
    };
    let Some(line) = text.trim().strip_prefix('/') else {
        return Ok(None);
    };
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if name.is_empty() || name.contains('/') {
        return Ok(None);
    }
    let params = RunCommandParams {
        session_id: session.id,
        name: name.to_owned(),
        arguments: arguments.trim().to_owned(),
        while_running: None,
        model: None,
        runner: None,
        command_id: Some(command_id.clone()),
    };
    match daemon.call::<RunCommand>(&params).await {
        Ok(result) => Ok(Some(result)),
        Err(failure)
            if failure.is(ErrorCode::UnknownName) || failure.is(ErrorCode::MethodNotFound) =>
        {
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}
