//! Methods about logins to servers of the Model Context Protocol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProjectId;

/// Parameters of `mcpLogin`: to begin, `name` and `redirectUri`; to end, `loginId`, `code` and `state`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpLoginParams {
    /// The project of the server, if a project brings it.
    pub project_id: Option<ProjectId>,
    /// The name of a server with `auth = "oauth"`.
    pub name: Option<String>,
    /// The address to which the browser of the person is sent after the login.
    pub redirect_uri: Option<String>,
    /// The login that was begun.
    pub login_id: Option<String>,
    /// The parameter `code` of the address to which the browser was sent.
    pub code: Option<String>,
    /// The parameter `state` of that address.
    pub state: Option<String>,
    /// The parameter `iss` of that address, if it has one.
    pub iss: Option<String>,
}

/// A code would give whoever reads a log the login.
impl std::fmt::Debug for McpLoginParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpLoginParams")
            .field("project_id", &self.project_id)
            .field("name", &self.name)
            .field("login_id", &self.login_id)
            .finish_non_exhaustive()
    }
}

/// Result of `mcpLogin`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpLoginResult {
    /// The login that was begun; absent at its end. It can be ended within ten minutes.
    pub login_id: Option<String>,
    /// The page on which a person logs in; absent at the end.
    pub url: Option<String>,
}

/// Parameters of `mcpLogout`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpLogoutParams {
    /// The project of the server, if a project brings it.
    pub project_id: Option<ProjectId>,
    /// The name of the server.
    pub name: String,
}

/// Result of `mcpLogout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpLogoutResult {
    /// True if there was a login. Its tokens are forgotten.
    pub was_logged_in: bool,
}
