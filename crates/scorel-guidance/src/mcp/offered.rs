//! Servers that clients offer to sessions, such as those of an editor.

use std::any::Any;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use scorel_config::{McpCommand, McpEndpoint, McpServer, McpServerName, McpShare, McpTransport};
use scorel_proto::{OfferedMcpServer, SessionId};

use super::found::{FoundMcpServer, McpServerState};

/// The time without a call after which one stops that no loaded session has: its session has been unloaded.
const IDLE: Duration = Duration::from_secs(60);

/// Servers of a session.
const MAX: usize = 32;

/// The servers that sessions were offered. In memory only: their values may be secrets.
#[derive(Debug, Default)]
pub struct OfferedServers(Mutex<HashMap<SessionId, Offer>>);

#[derive(Debug)]
struct Offer {
    /// It ends when the session is unloaded.
    session: Weak<dyn Any + Send + Sync>,
    servers: Vec<Arc<McpServer>>,
}

impl OfferedServers {
    /// Those of a session.
    pub fn of(&self, session: SessionId) -> Vec<Arc<McpServer>> {
        let offers = self.lock();
        offers
            .get(&session)
            .map_or_else(Vec::new, |it| it.servers.clone())
    }

    /// Returns whether a session has this server.
    pub fn has(&self, session: Option<SessionId>, server: &Arc<McpServer>) -> bool {
        session.is_some_and(|it| self.of(it).contains(server))
    }

    /// Gives a session, for as long as it is loaded, servers beside those of the user. Returns those that it had, and of the new ones those that are
    /// not used, a sentence each.
    pub fn put<T: Any + Send + Sync>(
        &self,
        id: SessionId,
        session: &Arc<T>,
        offered: Vec<OfferedMcpServer>,
        of_user: &[FoundMcpServer],
    ) -> (Vec<Arc<McpServer>>, Vec<String>) {
        let (mut servers, mut refused) = (Vec::<Arc<McpServer>>::new(), Vec::new());
        for server in offered {
            let (name, made) = made(server);
            let is_taken = servers.iter().any(|it| it.name.as_str() == name)
                || of_user.iter().any(|it| it.name == name);
            match made {
                _ if is_taken => refused.push(format!("{name}: there is another of this name")),
                _ if servers.len() == MAX => {
                    refused.push(format!("{name}: a session has at most {MAX} servers"));
                }
                Err(reason) => refused.push(format!("{name}: {reason}")),
                Ok(server) => servers.push(Arc::new(server)),
            }
        }
        let offer = Offer {
            session: Arc::downgrade(session) as _,
            servers,
        };
        let before = self.lock().insert(id, offer);
        (before.map_or_else(Vec::new, |it| it.servers), refused)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Offer>> {
        let mut offers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        offers.retain(|_, offer| offer.session.strong_count() > 0 && !offer.servers.is_empty());
        offers
    }
}

fn made(offered: OfferedMcpServer) -> (String, Result<McpServer, String>) {
    match offered {
        OfferedMcpServer::Stdio { name, command, env } => {
            let command = McpCommand::given(&command, &env, &Default::default());
            let command = command.map_err(|problem| problem.to_string());
            let server = command.and_then(|it| server(&name, McpTransport::Stdio(it)));
            (name, server)
        }
        OfferedMcpServer::Http { name, url, headers } => {
            let endpoint = McpEndpoint::new(url, headers, Default::default(), None);
            let endpoint = endpoint.map_err(|(key, reason)| format!("`{key}`: {reason}"));
            let server = endpoint.and_then(|it| server(&name, McpTransport::Http(it)));
            (name, server)
        }
    }
}

fn server(name: &str, transport: McpTransport) -> Result<McpServer, String> {
    let name = McpServerName::foreign(name).map_err(|error| error.to_string())?;
    Ok(McpServer {
        share: McpShare::Session,
        idle: Some(IDLE),
        ..McpServer::new(name, transport)
    })
}

impl FoundMcpServer {
    /// One that a client has offered, as the user's.
    pub fn offered(server: &Arc<McpServer>) -> Self {
        Self {
            name: server.name.to_string(),
            line: server.line(),
            transport: Some(server.transport.clone()),
            file: PathBuf::new(),
            files: Vec::new(),
            is_project: false,
            place: None,
            state: McpServerState::Usable(Arc::clone(server)),
        }
    }
}
