use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::outbox::Closed;
use crate::registry::Live;
use crate::{Connection, Text};

/// A subscription that has been begun and not been started.
#[derive(Debug)]
#[must_use = "a subscription that is not started is gone"]
pub struct Subscription {
    sink: Sink,
    gate: oneshot::Receiver<()>,
}

impl Subscription {
    /// `None` if the connection has as many subscriptions as it may have.
    pub(crate) fn open(
        connection: &Connection,
        method: &'static str,
        gate: oneshot::Receiver<()>,
    ) -> Option<Self> {
        let id: Arc<str> = format!("{:032x}", rand::random::<u128>()).into();
        let live = Arc::new(Live {
            alive: AtomicBool::new(true),
            stop: connection.killed().child_token(),
        });
        let added = connection
            .registry()
            .insert(Arc::clone(&id), Arc::clone(&live));
        let head = format!(
            r#"{{"jsonrpc":"2.0","method":{},"params":{{"subscription":"{id}","result":"#,
            json!(method)
        );
        added.then(|| Self {
            sink: Sink {
                connection: connection.clone(),
                id,
                live,
                head: head.into(),
            },
            gate,
        })
    }

    /// The id, as in the notifications.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.sink.id
    }

    /// Starts the pump as soon as the reply of the call is in the outbox, and returns that reply:
    /// the subscription's id.
    ///
    /// The connection owns the pump. It is dropped at its next await when the client unsubscribes
    /// or the connection ends; when it returns, the subscription is gone.
    #[must_use]
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

/// Where the events of a subscription go.
#[derive(Debug)]
pub struct Sink {
    connection: Connection,
    id: Arc<str>,
    live: Arc<Live>,
    head: Bytes,
}

impl Sink {
    /// Queues one event, given as JSON, as soon as there is room for it.
    ///
    /// # Errors
    /// The subscription or its connection has ended.
    pub async fn send(&self, event: Bytes) -> Result<(), Closed> {
        let outbox = self.connection.outbox();
        outbox.send_while(self.text(event), &self.live.alive).await
    }

    /// Queues events in order, which costs less than one at a time.
    ///
    /// # Errors
    /// The subscription or its connection has ended; the first events may have been queued.
    pub async fn send_batch(&self, events: &[Bytes]) -> Result<(), Closed> {
        let texts = events.iter().cloned().map(|event| self.text(event));
        let outbox = self.connection.outbox();
        outbox.send_all(texts.collect(), &self.live.alive).await
    }

    /// Resolves when the pump should come to an end because the connection is about to. Until then
    /// and for a grace period after it, events can still be sent.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.connection.drain().cancelled() => {}
            () = self.live.stop.cancelled() => {}
        }
    }

    /// The subscription's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The connection that the events go to.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    fn text(&self, event: Bytes) -> Text {
        Text::new(self.head.clone(), event, "}}")
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.connection.registry().remove(&self.id);
        self.live.end();
    }
}
