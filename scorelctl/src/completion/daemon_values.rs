use std::env;
use std::time::Duration;

use scorel_client::{ClientError, Connection, DaemonHome};
use scorel_proto::{
    ListAgents, ListAgentsParams, ListMcpServers, ListMcpServersParams, ListModels,
    ListModelsParams, ListRunners, ListRunnersParams, ListSessions, ListSessionsParams, Session,
    SessionId,
};
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::typed_words::TypedWords;
use crate::id_part::end_of;
use scorel_screen::escape::one_line;

/// A shell waits for the candidates, with the user's fingers on the keys.
const TIME_LIMIT: Duration = Duration::from_millis(300);

/// Sessions that are offered, the most recently changed first.
const MAX_SESSIONS: u32 = 200;

/// The values that the daemon lists, with a word on each.
#[derive(Debug, Clone, Copy)]
pub(super) enum DaemonValues {
    Sessions,
    Models,
    Runners,
    Agents,
    McpServers,
}

impl DaemonValues {
    /// The values that begin with `typed`. Empty if no daemon runs, which this does not start, or if it
    /// is on another machine.
    pub(super) fn ask(self, typed: &str, words: &TypedWords) -> Vec<(String, String)> {
        if words.is_remote() {
            // A shell cannot wait for ssh.
            return Vec::new();
        }
        let listed = async {
            let home = DaemonHome::resolve(words.home().as_deref(), |name| env::var_os(name))?;
            let connection = Connection::connect(&home.socket_path()?).await?;
            self.list(&connection, typed, words).await
        };
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
            return Vec::new();
        };
        let listed = runtime.block_on(async { timeout(TIME_LIMIT, listed).await });
        runtime.shutdown_background();
        // Errors are dropped: the shell shows any output as a part of the line.
        let mut found = listed.ok().and_then(Result::ok).unwrap_or_default();
        found.retain(|(value, _)| value.starts_with(typed));
        found
    }

    async fn list(
        self,
        connection: &Connection,
        typed: &str,
        words: &TypedWords,
    ) -> Result<Vec<(String, String)>, ClientError> {
        Ok(match self {
            Self::Sessions => {
                let params = ListSessionsParams {
                    deleted: words.is_of("undelete").then_some(true),
                    limit: Some(MAX_SESSIONS),
                    ..ListSessionsParams::default()
                };
                let listed = connection.call::<ListSessions>(&params).await?.sessions;
                let whole = typed.starts_with(SessionId::PREFIX);
                listed.iter().map(|it| session(it, whole)).collect()
            }
            Self::Models => {
                let params = ListModelsParams {
                    live: Some(false),
                    ..ListModelsParams::default()
                };
                let listed = connection.call::<ListModels>(&params).await?.models;
                let named = listed.into_iter().map(|it| {
                    let name = format!("{}:{}", it.provider, it.id);
                    (name, it.name.as_deref().map(one_line).unwrap_or_default())
                });
                named.collect()
            }
            Self::Runners => {
                let params = ListRunnersParams::default();
                let listed = connection.call::<ListRunners>(&params).await?.runners;
                let named = listed.into_iter().map(|it| (it.name, one_line(&it.label)));
                named.collect()
            }
            Self::Agents => {
                let params = ListAgentsParams::default();
                let listed = connection.call::<ListAgents>(&params).await?.agents;
                let named = listed
                    .into_iter()
                    .map(|it| (it.agent_type, one_line(&it.config.description)));
                named.collect()
            }
            Self::McpServers => {
                let params = ListMcpServersParams::default();
                let listed = connection.call::<ListMcpServers>(&params).await?.servers;
                let named = listed
                    .into_iter()
                    .map(|it| (it.name, one_line(&it.command)));
                named.collect()
            }
        })
    }
}

/// The end of an id, as lists show it, or the whole id, with the title.
fn session(session: &Session, whole: bool) -> (String, String) {
    let id = session.session_id;
    let value = if whole { id.to_string() } else { end_of(&id) };
    let title = session.title.as_deref().map(one_line).unwrap_or_default();
    (value, title)
}
