use scorel_client::{Connection, Subscription};
use scorel_proto::{AgentTaskId, AgentTaskStatus, Binding, HostEvent, SendMessage};
use tokio::time::timeout;

use super::scene::AgentScene;
use crate::under_test::{PATIENCE, connect, message};

/// A client with one place to write in: it follows the host feed, and a [`Binding`] says which session
/// it shows.
pub(super) struct BoundClient {
    pub(super) connection: Connection,
    pub(super) binding: Binding,
    /// What the host feed has brought.
    pub(super) seen: Vec<HostEvent>,
    host: Subscription,
}

impl BoundClient {
    pub(super) async fn new(scene: &AgentScene) -> Self {
        let connection = connect(&scene.daemon.socket()).await;
        let mut client = Self {
            host: connection.subscribe_host().await.unwrap(),
            binding: Binding::new(scene.project),
            seen: Vec::new(),
            connection,
        };
        client.next().await;
        client
    }

    /// Subscribes again: what came meanwhile is missing, and a snapshot comes first.
    pub(super) async fn resubscribe(&mut self) {
        self.host = self.connection.subscribe_host().await.unwrap();
        self.next().await;
    }

    /// Takes the next event.
    pub(super) async fn next(&mut self) -> &HostEvent {
        let next = timeout(PATIENCE, self.host.next()).await;
        let next = next.expect("an event in time").expect("the feed goes on");
        let event: HostEvent = serde_json::from_str(next.get()).unwrap();
        self.binding.apply(&event);
        self.seen.push(event);
        &self.seen[self.seen.len() - 1]
    }

    /// Selects a runtime, as soon as it can be selected.
    pub(super) async fn select(&mut self, id: AgentTaskId) {
        while !self.binding.select(id) {
            self.next().await;
        }
    }

    /// Takes events until one says that a runtime has a status.
    pub(super) async fn until(&mut self, id: AgentTaskId, status: AgentTaskStatus) {
        loop {
            if let HostEvent::AgentTaskChanged { runtime, .. } = self.next().await
                && (runtime.runtime_id, runtime.status) == (id, status)
            {
                return;
            }
        }
    }

    /// Sends a message to the shown session.
    pub(super) async fn send(&self, text: &str) {
        let params = message(self.binding.session().unwrap(), text);
        self.connection.call::<SendMessage>(&params).await.unwrap();
    }
}
