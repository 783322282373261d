use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scorel_http::{HttpClients, Redirects};
use scorel_oauth::OAuth;

use crate::server::{HttpLogin, HttpServer};

/// The time for a connection to a server.
const CONNECT: Duration = Duration::from_secs(10);

/// The means to reach servers by HTTP. A copy is the same.
#[derive(Debug, Clone)]
pub struct HttpReach {
    clients: Arc<HttpClients>,
    oauth: Arc<OAuth>,
}

impl HttpReach {
    /// With the logins of a home.
    pub fn new(home: &Path) -> Self {
        Self {
            clients: Arc::new(HttpClients::new(CONNECT, Redirects::SameOrigin)),
            oauth: Arc::new(OAuth::new(home)),
        }
    }

    /// The logins to servers.
    pub const fn oauth(&self) -> &Arc<OAuth> {
        &self.oauth
    }

    /// A server at an address. `secrets` are headers, each with the name and the value of a secret. `logs_in`: it is logged
    /// in to by OAuth.
    ///
    /// # Errors
    /// A sentence about what cannot be sent, without its full stop.
    pub fn server<'a>(
        &self,
        url: &str,
        headers: &BTreeMap<String, String>,
        secrets: impl IntoIterator<Item = (&'a str, &'a str, String)>,
        logs_in: bool,
    ) -> Result<HttpServer, String> {
        let login = logs_in.then(|| HttpLogin {
            oauth: Arc::clone(&self.oauth),
            url: url.to_owned(),
        });
        HttpServer::new(Arc::clone(&self.clients), url, headers, secrets, login)
    }
}
