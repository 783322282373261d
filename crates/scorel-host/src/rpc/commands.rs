//! `listCommands`, `runCommand`: commands of plugins and extensions, skills, and prompts of MCP servers.

use std::sync::Arc;
use std::time::Duration;

use scorel_engine::spawn_blocking;
use scorel_extension::nearest;
use scorel_extension::program::{CommandReply, ExtensionProgram};
use scorel_mcp_content::{PromptError, ServerPrompt};
use scorel_proto::{
    Block, ListCommandsParams, ListCommandsResult, RunCommand, RunCommandParams, RunCommandResult,
    Session, SessionId, excerpt,
};
use scorel_rpc::RpcCall;
use scorel_session::{MutationCommand, SendRequest};
use serde_json::{Value, json};

use super::caller::command;
use super::conversation::check_content;
use super::sessions::{check_model, check_name, check_runner};
use crate::commands::{CommandError, FoundCommand};
use crate::host::Host;
use crate::mcp_clients::PromptPlace;
use crate::rpc::call_error::{CallError, Reply};
use crate::session_blobs::SessionBlobs;

/// The time of a program for a command.
const LIMIT: Duration = Duration::from_secs(60);

/// Bytes of a program's answer to a user.
const MAX_REPLY: usize = 64 * 1024;

pub(super) async fn list(host: Arc<Host>, params: ListCommandsParams) -> Reply<ListCommandsResult> {
    let place = match (params.session_id, params.project_id) {
        (Some(session_id), _) => {
            let lane = host.sessions.get(session_id).await?;
            Some(place(&host, &lane.session()?)?)
        }
        (None, Some(project_id)) => {
            let project = host.skill_project(project_id)?;
            Some(PromptPlace {
                directory: project.dir.clone(),
                project,
                session: None,
            })
        }
        (None, None) => None,
    };
    let (files, project) = (Arc::clone(&host), place.clone().map(|it| it.project));
    let listed = spawn_blocking(move || files.commands.list(project.as_ref()));
    let mut commands = listed.await??;
    if let Some(place) = place {
        let prompts = host.mcp_clients.prompts(place).await;
        commands.extend(prompts.iter().map(ServerPrompt::describe));
    }
    Ok(ListCommandsResult { commands })
}

/// The place of a session, for prompts of servers.
fn place(host: &Host, session: &Session) -> Result<PromptPlace, CallError> {
    let project = host.skill_project(session.project_id)?;
    let worktree = session.worktree();
    let directory = worktree.map_or_else(|| project.dir.clone(), |it| it.path.clone().into());
    Ok(PromptPlace {
        project,
        directory,
        session: Some(session.session_id),
    })
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
    let (content, reply) = match prompt(&host, &session, &params.name).await? {
        Some(prompt) => {
            let blobs = Arc::new(SessionBlobs(lane.blobs().clone()));
            let message = prompt
                .message(&params.arguments, blobs)
                .await
                .map_err(refused)?;
            (Some(message), None)
        }
        None => {
            let CommandReply { message, reply } = said(&host, &session, &command, &params).await?;
            (message.map(|text| vec![Block::text(text)]), reply)
        }
    };
    let reply = reply.map(|text| excerpt(&text, MAX_REPLY));
    let Some(content) = content else {
        return Ok(RunCommandResult {
            message: None,
            reply,
        });
    };
    check_content("arguments", &content)?;
    let request = SendRequest {
        command,
        content,
        while_running: params.while_running.unwrap_or_default(),
        parent_event_id: None,
        expected_leaf_id: None,
        model: params.model,
        runner: params.runner,
        mode: None,
        channel: None,
    };
    let message = Some(lane.mutate(request).await?);
    Ok(RunCommandResult { message, reply })
}

/// The prompt of a server with this name; `None` if it is not the name of one.
async fn prompt(
    host: &Arc<Host>,
    session: &Session,
    name: &str,
) -> Result<Option<ServerPrompt>, CallError> {
    if !name.trim_start_matches('/').starts_with("mcp__") {
        return Ok(None);
    }
    let name = name.trim_start_matches('/');
    let mut prompts = host.mcp_clients.prompts(place(host, session)?).await;
    if let Some(at) = prompts.iter().position(|it| it.name == name) {
        return Ok(Some(prompts.swap_remove(at)));
    }
    let meant = nearest(name, prompts.iter().map(|it| it.name.as_str()));
    let suggestion = meant.map(str::to_owned);
    let name = name.to_owned();
    Err(CommandError::Unknown { name, suggestion }.into())
}

fn refused(error: PromptError) -> CallError {
    match error {
        PromptError::Arguments(reason) => CallError::invalid_field("arguments", reason),
        PromptError::Server { state, reason } => CallError::Extension { state, reason },
    }
}

/// The words of a skill, or of a command of a plugin or an extension.
async fn said(
    host: &Arc<Host>,
    session: &Session,
    command: &MutationCommand,
    params: &RunCommandParams,
) -> Result<CommandReply, CallError> {
    let project = host.skill_project(session.project_id)?;
    let (host, name) = (Arc::clone(host), params.name.clone());
    let arguments = params.arguments.clone();
    let found = spawn_blocking(move || host.commands.find(&project, &name, &arguments));
    match found.await?? {
        FoundCommand::Message(text) => Ok(CommandReply {
            message: Some(text),
            reply: None,
        }),
        FoundCommand::Program(program, name) => {
            let asked = asked(params.session_id, command, &name, &params.arguments);
            ask(&program, &asked).await
        }
    }
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
