use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use scorel_peer::{Closed, JsonText, notification_head};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::Connection;
use crate::registry::LiveSubscription;

/// A subscription that is not started yet.
#[derive(Debug)]
#[must_use = "dropping it ends the subscription"]
pub struct Subscription {
    sink: Sink,
    gate: oneshot::Receiver<()>,
}

impl Subscription {
    /// `None` at the limit of subscriptions.
    pub(crate) fn open(
        connection: &Connection,
        method: &'static str,
        gate: oneshot::Receiver<()>,
    ) -> Option<Self> {
        // Random and not counted: unique over connections and restarts.
        let id: Arc<str> = format!("{:032x}", rand::random::<u128>()).into();
        let live = Arc::new(LiveSubscription {
            alive: AtomicBool::new(true),
            stop: connection.killed().child_token(),
        });
        let added = connection
            .registry()
            .insert(Arc::clone(&id), Arc::clone(&live));
        let head = notification_head(method, &id);
        added.then(|| Self {
            sink: Sink {
                connection: connection.clone(),
                id,
                live,
                head,
            },
            gate,
        })
    }

    pub fn id(&self) -> &str {
        &self.sink.id
    }

    /// Starts the pump once the reply is in the outbox, and returns that reply: the subscription's id.
    ///
    /// The connection owns the pump, and drops it at its next await when the client unsubscribes or
    /// the connection ends. The subscription ends when the pump returns.
    pub fn spawn<F, P>(self, pump: F) -> Box<RawValue>
    where
        F: FnOnce(Sink) -> P + Send + 'static,
        P: Future<Output = ()> + Send,
    {
        let Self { sink, gate } = self;
        let id = serde_json::value::to_raw_value(&*sink.id).expect("a text is JSON");
        let connection = sink.connection.clone();
        connection.spawn(sink.live.stop.clone(), async move {
            if gate.await.is_ok() {
                pump(sink).await;
            }
        });
        id
    }
}

/// Queues the events of a subscription.
#[derive(Debug)]
pub struct Sink {
    connection: Connection,
    id: Arc<str>,
    live: Arc<LiveSubscription>,
    head: Bytes,
}

impl Sink {
    /// Queues one event, a JSON text, and waits for room in the outbox first. This is the backpressure
    /// on pumps: a pump that waits here reads no further events.
    ///
    /// # Errors
    /// The subscription or its connection has ended.
    pub async fn send(&self, event: Bytes) -> Result<(), Closed> {
        let outbox = self.connection.outbox();
        outbox.send_if(self.text(event), &self.live.alive).await
    }

    /// Queues events in order, with one lock per group instead of one per event.
    ///
    /// # Errors
    /// The subscription or its connection has ended; the first events may have been queued.
    pub async fn send_batch(&self, events: &[Bytes]) -> Result<(), Closed> {
        let texts = events.iter().cloned().map(|event| self.text(event));
        let outbox = self.connection.outbox();
        outbox.send_all(texts.collect(), &self.live.alive).await
    }

    /// Resolves when the pump should finish because the connection drains. Events can still be sent
    /// until [`RpcLimits::drain`](crate::RpcLimits::drain) has passed.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.connection.drain().cancelled() => {}
            () = self.live.stop.cancelled() => {}
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    fn text(&self, event: Bytes) -> JsonText {
        JsonText::new(self.head.clone(), event, "}}")
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.connection.registry().remove(&self.id);
        self.live.end();
    }
}
