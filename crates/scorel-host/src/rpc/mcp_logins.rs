//! `mcpLogin` and `mcpLogout`.

use std::sync::Arc;

use scorel_config::McpTransport;
use scorel_oauth::{LoginAnswer, OAuthError};
use scorel_proto::{McpLoginParams, McpLoginResult, McpLogoutParams, McpLogoutResult, ProjectId};

use super::mcp_servers::named;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn login(host: Arc<Host>, params: McpLoginParams) -> Reply<McpLoginResult> {
    let begin = params.name.zip(params.redirect_uri);
    let end = params.login_id.zip(params.code).zip(params.state);
    match (begin, end) {
        (Some((name, redirect)), None) => {
            let url = address(&host, params.project_id, &name).await?;
            let begun = host.mcp_clients.begin_login(&url, &redirect).await?;
            let (login_id, url) = (Some(begun.login_id), Some(begun.url));
            Ok(McpLoginResult { login_id, url })
        }
        (None, Some(((login_id, code), state))) => {
            let issuer = params.iss;
            let answer = LoginAnswer {
                login_id,
                code,
                state,
                issuer,
            };
            host.mcp_clients.finish_login(&answer).await?;
            Ok(McpLoginResult::default())
        }
        _ => Err(CallError::invalid(
            "`name` and `redirectUri` begin a login; `loginId`, `code` and `state` end one",
        )),
    }
}

pub(super) async fn logout(host: Arc<Host>, params: McpLogoutParams) -> Reply<McpLogoutResult> {
    let url = address(&host, params.project_id, &params.name).await?;
    let was_logged_in = host.mcp_clients.logout(&url).await?;
    Ok(McpLogoutResult { was_logged_in })
}

/// The address of a server to which one logs in.
async fn address(host: &Host, project: Option<ProjectId>, name: &str) -> Result<String, CallError> {
    let project = project.map(|id| host.skill_project(id)).transpose()?;
    let (server, _) = named(host, name, project).await?;
    match &server.transport {
        McpTransport::Http(endpoint) if endpoint.oauth => Ok(endpoint.url.clone()),
        _ => {
            let reason = format!("`{name}` has no `auth = \"oauth\"` in its entry");
            Err(CallError::invalid_field("name", reason))
        }
    }
}

impl From<OAuthError> for CallError {
    fn from(error: OAuthError) -> Self {
        match error {
            OAuthError::UnknownLogin => Self::invalid_field("loginId", error.to_string()),
            error => Self::Login(error),
        }
    }
}
