//! Logins to servers.

use scorel_config::{McpLogin, McpServer, McpTransport};
use scorel_oauth::{BegunLogin, ClientNames, LoginAnswer, OAuthError};
use scorel_proto::ProcessState;

use super::McpClients;

impl McpClients {
    /// Begins a login to the server at an address.
    pub(crate) async fn begin_login(
        &self,
        url: &str,
        login: &McpLogin,
        redirect: &str,
    ) -> Result<BegunLogin, OAuthError> {
        let config = self.means.config.current(None);
        let document = config.mcp.client_document.as_ref();
        let client = login.client.as_ref();
        let names = ClientNames {
            document: document.map(|it| it.as_str()),
            id: client.map(|it| it.id.as_str()),
            secret: client.and_then(|it| Some(it.secret.as_ref()?.as_str())),
        };
        self.http.oauth().begin(url, redirect, names).await
    }

    /// Ends a login, and has servers that waited for it start again.
    pub(crate) async fn finish_login(&self, answer: &LoginAnswer) -> Result<(), OAuthError> {
        let url = self.http.oauth().finish(answer).await?;
        for client in self.pool.of(|it| is_at(it, &url)) {
            let state = client.process().status().state;
            if matches!(state, ProcessState::Failed | ProcessState::Backoff) {
                client.process().restart();
            }
        }
        Ok(())
    }

    /// Forgets the login to an address, and ends the connections that had it. Returns whether there was one.
    pub(crate) async fn logout(&self, url: &str) -> Result<bool, OAuthError> {
        let was = self.http.oauth().logout(url).await?;
        for client in self.pool.of(|it| is_at(it, url)) {
            if client.process().if_ready().is_some() {
                client.process().restart();
            }
        }
        Ok(was)
    }
}

fn is_at(server: &McpServer, url: &str) -> bool {
    matches!(&server.transport, McpTransport::Http(endpoint) if endpoint.login.is_some() && endpoint.url == url)
}
