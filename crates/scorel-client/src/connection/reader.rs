//! What comes in on a connection, and who waits for it.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::PoisonError;

use futures_util::StreamExt;
use scorel_proto::{RpcError, SubscriptionId};
use serde_json::value::RawValue;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::codec::{FramedRead, LinesCodec};

use super::frame::{Incoming, Notification};
use crate::ClientError;

/// The longest line that is read: what a daemon sends at most, and room for the envelope.
const MAX_LINE: usize = 17 * 1024 * 1024;

/// How many items of a subscription may wait to be taken.
const BUFFER: usize = 256;

/// Who waits for a reply.
#[derive(Debug)]
pub(super) enum Pending {
    /// Somebody who wants the result.
    Call(oneshot::Sender<Result<Box<RawValue>, ClientError>>),
    /// Somebody who wants to follow something.
    Subscribe(oneshot::Sender<Result<(SubscriptionId, Items), ClientError>>),
}

/// The items of a subscription.
pub(super) type Items = mpsc::Receiver<Box<RawValue>>;

/// The replies that are still to come, until the connection ends.
#[derive(Debug, Default)]
pub(super) struct Replies {
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    pending: HashMap<u64, Pending>,
    closed: bool,
    /// An error that belonged to no call: why the daemon closed the connection.
    refusal: Option<RpcError>,
}

impl Replies {
    /// From now on somebody waits for the reply `id`.
    pub(super) fn expect(&self, id: u64, pending: Pending) -> Result<(), ClientError> {
        let mut state = self.state();
        if state.closed {
            return Err(state.why_closed());
        }
        state.pending.insert(id, pending);
        Ok(())
    }

    /// Why the connection ended.
    pub(super) fn why_closed(&self) -> ClientError {
        self.state().why_closed()
    }

    /// Waits until the connection has ended.
    pub(super) async fn closed(&self) {
        loop {
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

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // Every change of the state is a single step, so a panic elsewhere leaves it usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn why_closed(&self) -> ClientError {
        match &self.refusal {
            Some(error) => ClientError::Rpc(error.clone()),
            None => ClientError::Closed,
        }
    }
}

/// Closes the replies however the reader ends: at the end of the stream, by an error, or because
/// its task was aborted.
struct CloseOnDrop(std::sync::Arc<Replies>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reads until the connection ends.
pub(super) async fn run(socket: OwnedReadHalf, replies: std::sync::Arc<Replies>) {
    let replies = CloseOnDrop(replies);
    let mut lines = FramedRead::new(socket, LinesCodec::new_with_max_length(MAX_LINE));
    let mut reader = Reader {
        replies: &replies.0,
        subscriptions: HashMap::new(),
    };
    while let Some(Ok(line)) = lines.next().await {
        reader.line(&line).await;
    }
}

struct Reader<'a> {
    replies: &'a Replies,
    subscriptions: HashMap<SubscriptionId, mpsc::Sender<Box<RawValue>>>,
}

impl Reader<'_> {
    /// Lines that are not understood are skipped: a newer daemon may send what is not known here.
    async fn line(&mut self, line: &str) {
        let Ok(incoming) = serde_json::from_str::<Incoming<'_>>(line) else {
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

    /// A subscription exists before the next line is read: its first item may be in that line.
    fn reply(&mut self, pending: Pending, reply: Result<&RawValue, ClientError>) {
        // Who gave up waiting has dropped the other end, and that is all right.
        match pending {
            Pending::Call(sender) => drop(sender.send(reply.map(RawValue::to_owned))),
            Pending::Subscribe(sender) => {
                let subscribed = reply.and_then(|result| self.subscribe(result));
                drop(sender.send(subscribed));
            }
        }
    }

    fn subscribe(&mut self, result: &RawValue) -> Result<(SubscriptionId, Items), ClientError> {
        let id: SubscriptionId = serde_json::from_str(result.get())
            .map_err(|error| ClientError::Protocol(format!("id of a subscription: {error}")))?;
        let (sender, items) = mpsc::channel(BUFFER);
        self.subscriptions.insert(id.clone(), sender);
        Ok((id, items))
    }

    /// Waits for room in the subscription's buffer: that is the backpressure.
    async fn notification(&mut self, params: &RawValue) {
        let Ok(notification) = serde_json::from_str::<Notification<'_>>(params.get()) else {
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
