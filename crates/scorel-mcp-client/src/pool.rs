use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;
use scorel_proto::{ProjectId, SessionId};

use crate::client::McpClient;
use crate::era::EraMemory;
use crate::port::McpPort;
use crate::settings::McpSettings;

/// The sessions that share a server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct McpKey {
    pub server: String,
    /// The project that brings it; `None` for the user's.
    pub project: Option<ProjectId>,
    /// The directory that it runs in.
    pub directory: PathBuf,
    /// The session that has it for itself, if one does.
    pub session: Option<SessionId>,
}

/// The servers that turns have had, by who shares them. `C` is the configuration of one: with another it is another
/// server.
#[derive(Debug)]
pub struct McpPool<C> {
    clients: Mutex<BTreeMap<McpKey, PooledClient<C>>>,
    /// Found out once for a configuration, whichever directory a server runs in.
    eras: Mutex<Vec<(C, Arc<EraMemory>)>>,
}

#[derive(Debug)]
struct PooledClient<C> {
    config: C,
    client: Arc<McpClient>,
}

impl<C> Default for McpPool<C> {
    fn default() -> Self {
        Self {
            clients: Mutex::default(),
            eras: Mutex::default(),
        }
    }
}

impl<C: Clone + PartialEq> McpPool<C> {
    /// The server for these sessions. One with another configuration ends with the last call that uses it.
    pub fn client(
        &self,
        key: McpKey,
        config: &C,
        settings: McpSettings,
        port: impl FnOnce() -> Arc<dyn McpPort>,
    ) -> Arc<McpClient> {
        let mut clients = self.clients();
        if let Some(known) = clients.get(&key).filter(|it| it.config == *config) {
            return Arc::clone(&known.client);
        }
        let client = Arc::new(McpClient::new(settings, port(), self.eras(config)));
        let pooled = PooledClient {
            config: config.clone(),
            client: Arc::clone(&client),
        };
        clients.insert(key, pooled);
        client
    }

    /// The memory of the era of servers with this configuration.
    pub fn eras(&self, config: &C) -> Arc<EraMemory> {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = eras.iter().find(|(it, _)| it == config) {
            return Arc::clone(known);
        }
        // Those of configurations that nothing has any more, such as of a server that was only tried.
        eras.retain(|(_, memory)| Arc::strong_count(memory) > 1);
        let new = Arc::new(EraMemory::default());
        eras.push((config.clone(), Arc::clone(&new)));
        new
    }

    /// Forgets servers for which this is false, and stops those that nothing uses.
    pub fn retain(&self, mut is_wanted: impl FnMut(&McpKey, &C) -> bool) {
        self.clients()
            .retain(|key, pooled| is_wanted(key, &pooled.config));
    }

    /// Those whose configuration is such.
    pub fn of(&self, is_it: impl Fn(&C) -> bool) -> Vec<Arc<McpClient>> {
        let clients = self.clients();
        let found = clients.values().filter(|it| is_it(&it.config));
        found.map(|it| Arc::clone(&it.client)).collect()
    }

    /// All of them, in the order of their keys.
    pub fn all(&self) -> Vec<(McpKey, Arc<McpClient>)> {
        let clients = self.clients();
        let all = clients.iter();
        all.map(|(key, it)| (key.clone(), Arc::clone(&it.client)))
            .collect()
    }

    /// Stops all processes and waits for their ends.
    pub async fn close(&self) {
        let all = self.all();
        join_all(all.iter().map(|(_, client)| client.process().close())).await;
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<McpKey, PooledClient<C>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use super::*;
    use crate::era::Era;
    use crate::port::McpStart;
    use futures_util::future::BoxFuture;

    #[derive(Debug)]
    struct NoProgram;

    impl McpPort for NoProgram {
        fn start(&self) -> BoxFuture<'_, Result<McpStart, String>> {
            Box::pin(pending())
        }
    }

    fn client(pool: &McpPool<u32>, directory: &str, config: u32) -> Arc<McpClient> {
        let key = McpKey {
            server: "fake".to_owned(),
            project: None,
            directory: directory.into(),
            session: None,
        };
        let settings = McpSettings {
            name: "fake".to_owned(),
            trust_read_only: false,
            timeout: Duration::from_secs(1),
            idle: None,
        };
        pool.client(key, &config, settings, || Arc::new(NoProgram))
    }

    #[test]
    fn a_directory_has_one_server_and_another_one_after_a_change() {
        let pool = McpPool::default();
        let first = client(&pool, "/a", 1);
        assert!(Arc::ptr_eq(&first, &client(&pool, "/a", 1)));
        assert!(!Arc::ptr_eq(&first, &client(&pool, "/a/worktree", 1)));
        assert!(!Arc::ptr_eq(&first, &client(&pool, "/a", 2)));
        assert_eq!(pool.all().len(), 2);
        pool.retain(|_, config| *config == 2);
        assert_eq!(pool.all().len(), 1);
    }

    #[test]
    fn the_era_is_known_for_all_with_one_configuration() {
        let pool = McpPool::default();
        pool.eras(&1).learn(Era::Handshake);
        assert_eq!(pool.eras(&1).known(), Some(Era::Handshake));
        assert_eq!(pool.eras(&2).known(), None);
    }
}
