//! `listCommands`, `runCommand`: commands of plugins and extensions, and skills.

use std::sync::Arc;
use std::time::Duration;

use scorel_engine::spawn_blocking;
use scorel_extension::program::{CommandReply, ExtensionProgram};
use scorel_proto::{
    Block, ListCommandsParams, ListCommandsResult, RunCommand, RunCommandParams, RunCommandResult,
    SessionId, excerpt,
};
use scorel_rpc::RpcCall;
use scorel_session::{MutationCommand, SendRequest};
use serde_json::{Value, json};

use super::caller::command;
use super::conversation::check_content;
use super::sessions::{check_model, check_name, check_runner, check_tools};
use crate::commands::FoundCommand;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// The time of a program for a command.
const LIMIT: Duration = Duration::from_secs(60);

/// Bytes of a program's answer to a user.
const MAX_REPLY: usize = 64 * 1024;

pub(super) async fn list(host: Arc<Host>, params: ListCommandsParams) -> Reply<ListCommandsResult> {
    let project_id = match params.session_id {
        Some(session_id) => {
            let lane = host.sessions.get(session_id).await?;
            Some(lane.session()?.project_id)
        }
        None => params.project_id,
    };
    let project = project_id.map(|id| host.skill_project(id)).transpose()?;
    let commands = spawn_blocking(move || host.commands.list(project.as_ref())).await??;
    Ok(ListCommandsResult { commands })
}

pub(super) async fn run(
    host: Arc<Host>,
    call: RpcCall,
    mut params: RunCommandParams,
) -> Reply<RunCommandResult> {
    let command = command::<RunCommand>(&call, params.command_id.take(), &params)?;
    check_name("name", Some(&params.name))?;
    check_name("model", params.model.as_deref())?;
    check_runner(&host, params.runner.as_deref())?;
    let lane = host.sessions.get(params.session_id).await?;
    // A repeated command reads no file again: its text may be another by now.
    let receipt = lane.receipt(&command)?;
    if let Some(message) = receipt.and_then(|it| it.sent()) {
        return Ok(RunCommandResult {
            message: Some(message),
            reply: None,
        });
    }
    check_model(&host, &lane, params.model.as_deref(), None).await?;
    let session = lane.session()?;
    if params.runner.is_some() {
        check_tools(params.runner.as_deref(), session.tools)?;
    }
    let project = host.skill_project(session.project_id)?;
    let (name, arguments) = (params.name, params.arguments);
    let typed = arguments.clone();
    let found = spawn_blocking(move || host.commands.find(&project, &name, &typed)).await??;
    let CommandReply { message, reply } = match found {
        FoundCommand::Message(text) => CommandReply {
            message: Some(text),
            reply: None,
        },
        FoundCommand::Program(program, name) => {
            let asked = asked(params.session_id, &command, &name, &arguments);
            ask(&program, &asked).await?
        }
    };
    let reply = reply.map(|text| excerpt(&text, MAX_REPLY));
    let Some(text) = message else {
        return Ok(RunCommandResult {
            message: None,
            reply,
        });
    };
    let content = vec![Block::text(text)];
    check_content("arguments", &content)?;
    let request = SendRequest {
        command,
        content,
        while_running: params.while_running.unwrap_or_default(),
        parent_event_id: None,
        expected_leaf_id: None,
        model: params.model,
        runner: params.runner,
    };
    let message = Some(lane.mutate(request).await?);
    Ok(RunCommandResult { message, reply })
}

/// The parameters of `command.run`.
fn asked(id: SessionId, command: &MutationCommand, name: &str, arguments: &str) -> Value {
    json!({
        "sessionId": id,
        "commandId": command.id,
        "name": name,
        "arguments": arguments,
    })
}

async fn ask(program: &ExtensionProgram, params: &Value) -> Result<CommandReply, CallError> {
    let answer = program.call("command.run", params, LIMIT).await;
    let answer = answer.map_err(|error| error.to_string());
    answer
        .and_then(CommandReply::read)
        .map_err(|reason| CallError::Extension {
            state: program.status().state,
            reason,
        })
}
