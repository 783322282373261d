//! The state that a connection's handles share: the way out, and the calls that wait for replies.
//!
//! [`Connection`](super::Connection) and [`Subscription`](super::Subscription) are two kinds of handle
//! on one link; it lives in its own file so that neither needs the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::value::RawValue;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::frame::RequestFrame;
use super::reader::{self, PendingReply, Replies};
use crate::ClientError;

/// How many requests may wait for the socket. A caller beyond that waits, which is the backpressure
/// of a daemon that does not read.
const OUTGOING: usize = 64;

#[derive(Debug)]
pub(super) struct ConnectionLink {
    outgoing: mpsc::Sender<Vec<u8>>,
    replies: Arc<Replies>,
    next_id: AtomicU64,
    reader: AbortHandle,
}

impl Drop for ConnectionLink {
    /// Closes the socket: the writer ends because `outgoing` is dropped, the reader is aborted.
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl ConnectionLink {
    /// Spawns the reader and the writer. Must be called inside a Tokio runtime.
    pub(super) fn new(stream: UnixStream) -> Self {
        let (read, write) = stream.into_split();
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        tokio::spawn(write_all(queue, write));
        let replies = Arc::new(Replies::default());
        let reader = tokio::spawn(reader::run(read, Arc::clone(&replies))).abort_handle();
        Self {
            outgoing,
            replies,
            next_id: AtomicU64::new(1),
            reader,
        }
    }

    pub(super) async fn closed(&self) {
        self.replies.closed().await;
    }

    /// Sends a request; the reply goes to `pending`.
    pub(super) async fn send(
        &self,
        method: &str,
        params: Option<&RawValue>,
        pending: PendingReply,
    ) -> Result<(), ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let line = RequestFrame::line(Some(id), method, params)?;
        // Registered before it is written: the reply may be read before `send` returns.
        self.replies.expect(id, pending)?;
        let sent = self.outgoing.send(line).await;
        sent.map_err(|_| self.replies.why_closed())
    }

    /// Waits for the reply to a request.
    pub(super) async fn received<T>(
        &self,
        receiver: oneshot::Receiver<Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        match receiver.await {
            Ok(reply) => reply,
            Err(_) => Err(self.replies.why_closed()),
        }
    }

    /// Sends a request without an id, to which no reply comes. It is dropped if the outgoing queue is
    /// full, since a destructor calls this and cannot wait.
    pub(super) fn notify(&self, method: &str, params: &RawValue) {
        if let Ok(line) = RequestFrame::line(None, method, Some(params)) {
            let _ = self.outgoing.try_send(line);
        }
    }
}

/// Writes in a task of its own: a call that is cancelled halfway must not leave half a line on the
/// socket.
async fn write_all(mut queue: mpsc::Receiver<Vec<u8>>, mut socket: OwnedWriteHalf) {
    while let Some(line) = queue.recv().await {
        if socket.write_all(&line).await.is_err() {
            return;
        }
    }
}
