//! The read half of a connection: hands replies to their callers and items to their subscriptions.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::PoisonError;

use futures_util::StreamExt;
use scorel_proto::{RpcError, SubscriptionId};
use serde_json::value::RawValue;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::codec::{FramedRead, LinesCodec};

use super::frame::{IncomingFrame, NotificationParams};
use crate::ClientError;

/// The longest line accepted: the daemon writes frames of at most 16 MiB, which a 1 MiB margin
/// covers whatever the daemon counts towards them.
const MAX_LINE: usize = 17 * 1024 * 1024;

/// How many items of a subscription are buffered. A full buffer makes the reader wait, so the socket
/// fills and the daemon holds the subscriber's position instead of this process holding its events.
const BUFFER: usize = 256;

/// The recipient of a reply.
#[derive(Debug)]
pub(super) enum PendingReply {
    /// A plain call.
    Call(oneshot::Sender<Result<Box<RawValue>, ClientError>>),
    /// A subscribing call. Its channel is created by the reader, before the next line is read.
    Subscribe(oneshot::Sender<Result<(SubscriptionId, SubscriptionItems), ClientError>>),
}

pub(super) type SubscriptionItems = mpsc::Receiver<Box<RawValue>>;

/// The calls that wait for their replies.
#[derive(Debug, Default)]
pub(super) struct Replies {
    state: Mutex<ReplyState>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct ReplyState {
    pending: HashMap<u64, PendingReply>,
    closed: bool,
    /// An error reply without an id, which the daemon sends before it closes the connection.
    refusal: Option<RpcError>,
}

impl Replies {
    /// Registers the recipient of the reply `id`. Fails if the connection is closed.
    pub(super) fn expect(&self, id: u64, pending: PendingReply) -> Result<(), ClientError> {
        let mut state = self.state();
        if state.closed {
            return Err(state.why_closed());
        }
        state.pending.insert(id, pending);
        Ok(())
    }

    /// The error for calls that the close of the connection cut off.
    pub(super) fn why_closed(&self) -> ClientError {
        self.state().why_closed()
    }

    pub(super) async fn closed(&self) {
        loop {
            // Created before the check, or a close in between would be missed.
            let ended = self.ended.notified();
            if self.state().closed {
                return;
            }
            ended.await;
        }
    }

    fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.pending.clear();
        drop(state);
        self.ended.notify_waiters();
    }

    fn state(&self) -> std::sync::MutexGuard<'_, ReplyState> {
        // No code panics between two related changes of the state, so a poisoned lock is usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReplyState {
    fn why_closed(&self) -> ClientError {
        match &self.refusal {
            Some(error) => ClientError::Rpc(error.clone()),
            None => ClientError::Closed,
        }
    }
}

/// Closes the replies however the reader ends: end of file, error, or an aborted task.
struct CloseOnDrop(std::sync::Arc<Replies>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reads lines until the connection closes.
pub(super) async fn run(socket: OwnedReadHalf, replies: std::sync::Arc<Replies>) {
    let replies = CloseOnDrop(replies);
    let mut lines = FramedRead::new(socket, LinesCodec::new_with_max_length(MAX_LINE));
    let mut reader = ConnectionReader {
        replies: &replies.0,
        subscriptions: HashMap::new(),
    };
    while let Some(Ok(line)) = lines.next().await {
        reader.line(&line).await;
    }
}

struct ConnectionReader<'a> {
    replies: &'a Replies,
    subscriptions: HashMap<SubscriptionId, mpsc::Sender<Box<RawValue>>>,
}

impl ConnectionReader<'_> {
    /// Skips lines it cannot parse: a newer daemon may send kinds of messages unknown here.
    async fn line(&mut self, line: &str) {
        let Ok(incoming) = serde_json::from_str::<IncomingFrame<'_>>(line) else {
            return;
        };
        if incoming.method.is_some() {
            if let Some(params) = incoming.params {
                self.notification(params).await;
            }
            return;
        }
        let Some(id) = incoming.id else {
            self.replies.state().refusal = incoming.error.map(RpcError::from);
            return;
        };
        let Some(pending) = self.replies.state().pending.remove(&id) else {
            return;
        };
        let reply = match incoming.error {
            Some(error) => Err(ClientError::Rpc(error.into())),
            None => Ok(incoming.result.unwrap_or(RawValue::NULL)),
        };
        self.reply(pending, reply);
    }

    /// Registers a subscription before the next line is read, which may be its first item.
    fn reply(&mut self, pending: PendingReply, reply: Result<&RawValue, ClientError>) {
        // Sending fails if the caller was cancelled, which needs no handling.
        match pending {
            PendingReply::Call(sender) => drop(sender.send(reply.map(RawValue::to_owned))),
            PendingReply::Subscribe(sender) => {
                let subscribed = reply.and_then(|result| self.subscribe(result));
                drop(sender.send(subscribed));
            }
        }
    }

    fn subscribe(
        &mut self,
        result: &RawValue,
    ) -> Result<(SubscriptionId, SubscriptionItems), ClientError> {
        let id: SubscriptionId = serde_json::from_str(result.get())
            .map_err(|error| ClientError::Protocol(format!("id of a subscription: {error}")))?;
        let (sender, items) = mpsc::channel(BUFFER);
        self.subscriptions.insert(id.clone(), sender);
        Ok((id, items))
    }

    /// Waits for room in the subscription's buffer: this is the backpressure.
    async fn notification(&mut self, params: &RawValue) {
        let Ok(notification) = serde_json::from_str::<NotificationParams<'_>>(params.get()) else {
            return;
        };
        let id = notification.subscription.as_ref();
        let Some(sender) = self.subscriptions.get(id) else {
            return;
        };
        if sender.send(notification.result.to_owned()).await.is_err() {
            self.subscriptions.remove(id);
        }
    }
}
