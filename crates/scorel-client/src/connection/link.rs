//! The state that a connection's handles share.
//!
//! [`Connection`](super::Connection) and [`Subscription`](super::Subscription) are two kinds of handle
//! on one link; it lives in its own file so that neither needs the other.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_peer::{Inbox, Peer, TextStream};
use scorel_proto::SubscriptionId;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::ClientError;

/// Bytes of requests that may wait for the socket. A caller beyond that waits, which is the
/// backpressure of a daemon that does not read.
const OUTBOX: usize = 1024 * 1024;

/// The open calls of a connection. A caller beyond that waits.
const MAX_CALLS: usize = 1024;

/// The buffered items of a subscription. A full buffer makes the reader wait, so the socket
/// fills and the daemon holds the subscriber's position instead of this process holding its events.
const BUFFER: usize = 256;

#[derive(Debug)]
pub(super) struct ConnectionLink {
    pub(super) peer: Arc<Peer>,
    subscriptions: Arc<Subscriptions>,
    task: AbortHandle,
}

impl Drop for ConnectionLink {
    /// Closes the stream.
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ConnectionLink {
    /// Reads and writes in a task, so that a call that is cancelled halfway does not leave half a text
    /// on the stream. Must be called inside a Tokio runtime.
    pub(super) fn new(stream: TextStream) -> Self {
        let peer = Arc::new(Peer::new(OUTBOX, MAX_CALLS));
        let subscriptions = Arc::<Subscriptions>::default();
        let (runner, inbox) = (Arc::clone(&peer), Items(Arc::clone(&subscriptions)));
        let task = tokio::spawn(async move { runner.run(stream, inbox).await }).abort_handle();
        Self {
            peer,
            subscriptions,
            task,
        }
    }

    /// Makes a subscribing call. Its channel is there before the next text is read, which may be its
    /// first item.
    pub(super) async fn subscribe(
        &self,
        method: &str,
        params: &RawValue,
    ) -> Result<(SubscriptionId, SubscriptionItems), ClientError> {
        let subscriptions = Arc::clone(&self.subscriptions);
        let begin = move |id: &RawValue| subscriptions.begin(id);
        let begun = self.peer.call_then(method, Some(params), begin).await?;
        begun.map_err(|error| ClientError::Protocol(format!("id of a subscription: {error}")))
    }
}

pub(super) type SubscriptionItems = mpsc::Receiver<Box<RawValue>>;

#[derive(Debug, Default)]
struct Subscriptions(Mutex<HashMap<SubscriptionId, mpsc::Sender<Box<RawValue>>>>);

impl Subscriptions {
    fn begin(&self, id: &RawValue) -> serde_json::Result<(SubscriptionId, SubscriptionItems)> {
        let id: SubscriptionId = serde_json::from_str(id.get())?;
        let (sender, items) = mpsc::channel(BUFFER);
        self.open().insert(id.clone(), sender);
        Ok((id, items))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SubscriptionId, mpsc::Sender<Box<RawValue>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives items to their subscriptions, whose channels end with the connection.
struct Items(Arc<Subscriptions>);

impl Drop for Items {
    fn drop(&mut self) {
        self.0.open().clear();
    }
}

impl Inbox for Items {
    /// Waits for room in the subscription's buffer: this is the backpressure.
    async fn notified(&mut self, params: &RawValue) {
        let Ok(item) = serde_json::from_str::<Item<'_>>(params.get()) else {
            return;
        };
        let id = item.subscription.as_ref();
        let Some(sender) = self.0.open().get(id).cloned() else {
            return;
        };
        if sender.send(item.result.to_owned()).await.is_err() {
            self.0.open().remove(id);
        }
    }
}

/// The `params` of a subscription's notification.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    subscription: Cow<'a, str>,
    #[serde(borrow)]
    result: &'a RawValue,
}
