//! One connection to the daemon: calls, and subscriptions with backpressure.

mod frame;
mod hello;
mod reader;
mod subscription;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use scorel_proto::{Method, NoParams, SubscribeEvents, SubscribeEventsParams, SubscribeHost};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

pub use subscription::Subscription;

use crate::ClientError;
use frame::Request;
use reader::{Pending, Replies};

/// How many calls may wait to be written.
const OUTGOING: usize = 64;

/// A connection to the daemon over its Unix socket. Clones share it; it closes with the last of
/// them and of its subscriptions.
///
/// A subscription whose items are not taken makes the whole connection wait, calls included.
#[derive(Debug, Clone)]
pub struct Connection {
    link: Arc<Link>,
}

/// What clones of a connection and its subscriptions share.
#[derive(Debug)]
struct Link {
    outgoing: mpsc::Sender<Vec<u8>>,
    replies: Arc<Replies>,
    next_id: AtomicU64,
    reader: AbortHandle,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Connection {
    /// Connects to the socket at `path`.
    ///
    /// # Errors
    ///
    /// [`ClientError::Unreachable`] if nobody answers there.
    pub async fn connect(path: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(path).await;
        let stream = stream.map_err(|source| ClientError::Unreachable {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(Self::from_stream(stream))
    }

    /// Uses a stream that is connected already. Must be called inside a Tokio runtime.
    #[must_use]
    pub fn from_stream(stream: UnixStream) -> Self {
        let (read, write) = stream.into_split();
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        tokio::spawn(write_all(queue, write));
        let replies = Arc::new(Replies::default());
        let reader = tokio::spawn(reader::run(read, Arc::clone(&replies))).abort_handle();
        Self {
            link: Arc::new(Link {
                outgoing,
                replies,
                next_id: AtomicU64::new(1),
                reader,
            }),
        }
    }

    /// Calls a method and waits for its result.
    ///
    /// # Errors
    ///
    /// [`ClientError::Rpc`] if the daemon refuses, [`ClientError::Closed`] if the connection ends
    /// first, and [`ClientError::Protocol`] if the result is not what the method promises.
    pub async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, ClientError> {
        let result = self.request(M::NAME, params).await?;
        serde_json::from_str(result.get())
            .map_err(|error| ClientError::Protocol(format!("result of {}: {error}", M::NAME)))
    }

    /// Calls a method by its name, with parameters and result as JSON.
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn call_raw(
        &self,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> Result<Box<RawValue>, ClientError> {
        self.request(method, &params).await
    }

    /// Follows a session: events and markers as the daemon sends them. See
    /// [`crate::SessionStream`] for one that keeps its place.
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn subscribe_events(
        &self,
        params: &SubscribeEventsParams,
    ) -> Result<Subscription, ClientError> {
        self.subscribe::<SubscribeEvents>(params, "unsubscribeEvents")
            .await
    }

    /// Follows the daemon: a snapshot, then changes, each a [`scorel_proto::HostEvent`].
    ///
    /// # Errors
    ///
    /// As [`Connection::call`].
    pub async fn subscribe_host(&self) -> Result<Subscription, ClientError> {
        self.subscribe::<SubscribeHost>(&NoParams {}, "unsubscribeHost")
            .await
    }

    /// Waits until the connection has ended.
    pub async fn closed(&self) {
        self.link.replies.closed().await;
    }

    async fn subscribe<M: Method>(
        &self,
        params: &M::Params,
        unsubscribe: &'static str,
    ) -> Result<Subscription, ClientError> {
        let (reply, receiver) = oneshot::channel();
        self.send(M::NAME, params, Pending::Subscribe(reply))
            .await?;
        let (id, items) = self.received(receiver).await?;
        Ok(Subscription::new(self.clone(), id, items, unsubscribe))
    }

    async fn request<P: Serialize>(
        &self,
        method: &str,
        params: &P,
    ) -> Result<Box<RawValue>, ClientError> {
        let (reply, receiver) = oneshot::channel();
        self.send(method, params, Pending::Call(reply)).await?;
        self.received(receiver).await
    }

    async fn send<P: Serialize>(
        &self,
        method: &str,
        params: &P,
        pending: Pending,
    ) -> Result<(), ClientError> {
        let id = self.link.next_id.fetch_add(1, Ordering::Relaxed);
        let line = Request::line(Some(id), method, params)?;
        self.link.replies.expect(id, pending)?;
        let sent = self.link.outgoing.send(line).await;
        sent.map_err(|_| self.link.replies.why_closed())
    }

    async fn received<T>(
        &self,
        receiver: oneshot::Receiver<Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        match receiver.await {
            Ok(reply) => reply,
            Err(_) => Err(self.link.replies.why_closed()),
        }
    }

    /// Sends a call whose reply nobody waits for, unless too much waits to be written.
    fn notify<P: Serialize>(&self, method: &str, params: &P) {
        if let Ok(line) = Request::line(None, method, params) {
            // Nothing depends on it: without the call, the connection's end has the same effect.
            let _ = self.link.outgoing.try_send(line);
        }
    }
}

/// A task of its own writes, so that a call that is given up leaves no half a line behind.
async fn write_all(mut queue: mpsc::Receiver<Vec<u8>>, mut socket: OwnedWriteHalf) {
    while let Some(line) = queue.recv().await {
        if socket.write_all(&line).await.is_err() {
            return;
        }
    }
}
