//! `listCommands`, `runCommand`: commands of plugins, and skills.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_guidance::skills::SkillProject;
use scorel_proto::{
    Block, ListCommandsParams, ListCommandsResult, ProjectId, RunCommand, RunCommandParams,
    RunCommandResult,
};
use scorel_rpc::RpcCall;
use scorel_session::SendRequest;

use super::caller::command;
use super::conversation::check_content;
use super::sessions::{check_model, check_name, check_runner, check_tools};
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list(host: Arc<Host>, params: ListCommandsParams) -> Reply<ListCommandsResult> {
    let project_id = match params.session_id {
        Some(session_id) => {
            let lane = host.sessions.get(session_id).await?;
            Some(lane.session()?.project_id)
        }
        None => params.project_id,
    };
    let project = project_id.map(|id| project(&host, id)).transpose()?;
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
        return Ok(RunCommandResult { message });
    }
    check_model(&host, &lane, params.model.as_deref(), None).await?;
    let session = lane.session()?;
    if params.runner.is_some() {
        check_tools(params.runner.as_deref(), session.tools)?;
    }
    let project = project(&host, session.project_id)?;
    let (name, arguments) = (params.name, params.arguments);
    let text = spawn_blocking(move || host.commands.message(&project, &name, &arguments)).await??;
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
    let message = lane.mutate(request).await?;
    Ok(RunCommandResult { message })
}

fn project(host: &Host, id: ProjectId) -> Result<SkillProject, CallError> {
    let dir = host.project_dir(id)?;
    Ok(SkillProject { id, dir })
}
