//! `mcpLogin` and `mcpLogout`.

use std::sync::Arc;

use scorel_config::{McpEndpoint, McpTransport};
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
            let McpEndpoint { url, login, .. } = endpoint(&host, params.project_id, &name).await?;
            let login = login.unwrap_or_default();
            let begun = host.mcp_clients.begin_login(&url, &login, &redirect);
            let begun = begun.await?;
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
    let endpoint = endpoint(&host, params.project_id, &params.name).await?;
    let was_logged_in = host.mcp_clients.logout(&endpoint.url).await?;
    Ok(McpLogoutResult { was_logged_in })
}

/// A server to which one logs in.
async fn endpoint(
    host: &Host,
    project: Option<ProjectId>,
    name: &str,
) -> Result<McpEndpoint, CallError> {
    let project = project.map(|id| host.skill_project(id)).transpose()?;
    let (server, _) = named(host, name, project).await?;
    match &server.transport {
        McpTransport::Http(endpoint) if endpoint.login.is_some() => Ok(endpoint.clone()),
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
