//! `listMcpServers`, `testMcpServer` and `offerMcpServers`.

use std::sync::Arc;
use std::time::Instant;

use scorel_config::McpServer;
use scorel_engine::{ToolSpec, spawn_blocking};
use scorel_extension::{Problem, nearest};
use scorel_guidance::mcp::{FoundMcpServer, McpServerState as State};
use scorel_guidance::skills::SkillProject;
use scorel_guidance::trust::Inert;
use scorel_proto::{
    ListMcpServersParams, ListMcpServersResult, McpServerInfo, McpServerState, McpToolInfo,
    McpTransport, OfferMcpServersParams, OfferMcpServersResult, SkillSource, TestMcpServerParams,
    TestMcpServerResult, excerpt,
};

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// Bytes of a tool's description that are returned.
const MAX_DESCRIPTION: usize = 1024;

pub(super) async fn list(
    host: Arc<Host>,
    params: ListMcpServersParams,
) -> Reply<ListMcpServersResult> {
    let project = params.project_id.map(|id| host.skill_project(id));
    let project = project.transpose()?;
    let listed = move || {
        let found = host.mcp_servers.find(project.as_ref())?;
        let servers = found.iter().map(|it| describe(&host, it, project.as_ref()));
        Ok::<_, CallError>(ListMcpServersResult {
            servers: servers.collect(),
        })
    };
    spawn_blocking(listed).await?
}

pub(super) async fn test(
    host: Arc<Host>,
    params: TestMcpServerParams,
) -> Reply<TestMcpServerResult> {
    let project = params.project_id.map(|id| host.skill_project(id));
    let project = project.transpose()?;
    let began = Instant::now();
    let look = match given(&params)? {
        Some(server) => host.mcp_clients.tried(Arc::new(server), project).await,
        None => {
            let (server, is_project) = named(&host, &params.name, project.clone()).await?;
            let clients = &host.mcp_clients;
            clients.looked_at(server, is_project, project).await
        }
    };
    Ok(TestMcpServerResult {
        failure: look.failure,
        era: look.era,
        tools: look.tools.iter().map(tool).collect(),
        problems: look.problems,
        stderr: look.stderr,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

pub(super) async fn offer(
    host: Arc<Host>,
    params: OfferMcpServersParams,
) -> Reply<OfferMcpServersResult> {
    let lane = host.sessions.get(params.session_id).await?;
    let offer = move || host.mcp_clients.offer(&lane, params.servers);
    let refused = spawn_blocking(offer).await?;
    Ok(OfferMcpServersResult { refused })
}

fn tool(spec: &ToolSpec) -> McpToolInfo {
    let words: Vec<&str> = spec.description.split_whitespace().collect();
    McpToolInfo {
        name: spec.name.clone(),
        description: excerpt(&words.join(" "), MAX_DESCRIPTION),
        tokens: spec.tokens().tokens(),
    }
}

/// The server of this name that may be used; with `true` if it is the project's.
pub(super) async fn named(
    host: &Host,
    name: &str,
    project: Option<SkillProject>,
) -> Result<(Arc<McpServer>, bool), CallError> {
    let finder = host.mcp_servers.clone();
    let found = spawn_blocking(move || finder.find(project.as_ref())).await??;
    usable(&found, name)
}

/// A server that is not configured yet.
fn given(params: &TestMcpServerParams) -> Result<Option<McpServer>, CallError> {
    let name = &params.name;
    let server = match (&params.program, &params.endpoint) {
        (None, None) => return Ok(None),
        (Some(it), None) => McpServer::of_command(name, &it.command, &it.env, &it.secret_env),
        (None, Some(it)) => McpServer::of_endpoint(name, &it.url, &it.headers, &it.secret_headers),
        (Some(_), Some(_)) => {
            let reason = "it cannot be a program and reached by HTTP";
            return Err(CallError::invalid_field("endpoint", reason.to_owned()));
        }
    };
    let refused = |problem: Problem| CallError::invalid(problem.to_string());
    server.map(Some).map_err(refused)
}

fn usable(found: &[FoundMcpServer], name: &str) -> Result<(Arc<McpServer>, bool), CallError> {
    let named = || found.iter().filter(|it| it.name == name);
    let server = |it: &FoundMcpServer| Some((Arc::clone(it.usable()?), it.is_project));
    if let Some(server) = named().find_map(server) {
        return Ok(server);
    }
    if let Some(reason) = named().find_map(reason) {
        return Err(CallError::invalid_field("name", reason));
    }
    let known = found.iter().map(|it| it.name.as_str());
    Err(CallError::UnknownName {
        kind: "MCP server",
        suggestion: nearest(name, known).map(str::to_owned),
        name: name.to_owned(),
    })
}

fn describe(host: &Host, found: &FoundMcpServer, project: Option<&SkillProject>) -> McpServerInfo {
    let project = project.filter(|_| found.is_project).map(|it| it.id);
    let status = found
        .usable()
        .map(|_| host.mcp_clients.status(&found.name, project));
    let status = status.unwrap_or_default();
    McpServerInfo {
        name: found.name.clone(),
        transport: found.transport.as_ref().map(|it| match it {
            scorel_config::McpTransport::Stdio(_) => McpTransport::Stdio,
            scorel_config::McpTransport::Http(_) => McpTransport::Http,
        }),
        state: state(found),
        reason: reason(found),
        source: match found.is_project {
            true => SkillSource::Project,
            false => SkillSource::User,
        },
        path: found.file.display().to_string(),
        command: found.line.clone(),
        process: status.process,
        era: status.era,
        tools: status.tools.map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
        last_error: status.last_error,
    }
}

const fn state(found: &FoundMcpServer) -> McpServerState {
    match found.state {
        State::Usable(_) => McpServerState::Available,
        State::Inert(Inert::Untrusted(_)) => McpServerState::Untrusted,
        State::Inert(Inert::Shadowed(_)) | State::Shadowed => McpServerState::Shadowed,
        State::Inert(Inert::Changed(_) | Inert::Broken { .. }) => McpServerState::Changed,
        State::Disabled => McpServerState::Disabled,
        State::NotRun(_) => McpServerState::NotRun,
    }
}

/// Why it cannot be used.
fn reason(found: &FoundMcpServer) -> Option<String> {
    match &found.state {
        State::Usable(_) => None,
        State::Inert(inert) => Some(inert.to_string()),
        State::Disabled => Some("`[mcp] disabled` names it".to_owned()),
        State::Shadowed => Some("you have one of this name, which it does not replace".to_owned()),
        State::NotRun(reason) => Some(reason.clone()),
    }
}
