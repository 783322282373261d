use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use scorel_proto::{ErrorCode, RpcError};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::TextStream;
use crate::calls::Calls;
use crate::envelope::{Members, RequestId};
use crate::error_object::ErrorObject;
use crate::message_text::{refusal, request};
use crate::outbox::{Closed, Outbox};
use crate::writer::write;

/// The reason why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The connection ended before the answer. The call may have taken effect.
    #[error("the connection is closed")]
    Closed,
    /// No answer came in time.
    #[error("nothing came in time")]
    Overdue,
    /// The other side's error: of the call, or of the connection that it refused.
    #[error(transparent)]
    Rpc(#[from] RpcError),
}

/// Takes what the other side notifies of.
pub trait Inbox: Send {
    /// Takes a notification. The next text is read once this returns, so waiting here holds the
    /// other side back.
    fn notified(&mut self, params: &RawValue) -> impl Future<Output = ()> + Send;
}

/// Ignores all notifications.
impl Inbox for () {
    async fn notified(&mut self, _params: &RawValue) {}
}

/// One end of a connection: its way out, and its calls that wait for answers.
///
/// It does not read. [`Peer::run`] does for an end that only calls; a server reads by itself and hands
/// answers to [`Peer::answered`].
#[derive(Debug)]
pub struct Peer {
    outbox: Outbox,
    /// A slot for each open call.
    slots: Semaphore,
    state: Mutex<PeerState>,
    ended: CancellationToken,
}

#[derive(Debug, Default)]
struct PeerState {
    calls: Calls<OnAnswer>,
    /// An error answer without an id, which a server sends before it closes the connection.
    refusal: Option<RpcError>,
}

/// Takes an answer, before the next text is read.
struct OnAnswer(Box<Answered>);

type Answered = dyn FnOnce(Result<&RawValue, RpcError>) + Send;

impl std::fmt::Debug for OnAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnAnswer")
    }
}

/// Forgets a call that is no longer waited for.
struct OpenCall<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.peer.state().calls.end(self.id);
    }
}

impl Peer {
    /// A peer with at most `outbox` bytes that wait to be written, and at most `calls` open calls.
    pub fn new(outbox: usize, calls: usize) -> Self {
        Self {
            outbox: Outbox::new(outbox),
            slots: Semaphore::new(calls),
            state: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    pub const fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Calls the other side and waits: for room among the open calls, for room in the outbox, and for
    /// the answer. To drop the future cancels the call on this side.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>, CallError> {
        self.call_then(method, params, RawValue::to_owned).await
    }

    /// As [`Peer::call`], but waits no longer than `limit`.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call_within(
        &self,
        method: &str,
        params: Option<&RawValue>,
        limit: Duration,
    ) -> Result<Box<RawValue>, CallError> {
        let call = timeout(limit, self.call(method, params)).await;
        call.unwrap_or(Err(CallError::Overdue))
    }

    /// As [`Peer::call`]. `then` takes the result before the next text is read, so that what follows an
    /// answer finds what the answer began.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call_then<T: Send + 'static>(
        &self,
        method: &str,
        params: Option<&RawValue>,
        then: impl FnOnce(&RawValue) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        self.make_call(method, params, |_| (), then).await
    }

    /// As [`Peer::call`]. `named` takes the call's id before the call is sent, for a message that withdraws it.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call_named(
        &self,
        method: &str,
        params: Option<&RawValue>,
        named: impl FnOnce(u64) + Send,
    ) -> Result<Box<RawValue>, CallError> {
        self.make_call(method, params, named, RawValue::to_owned)
            .await
    }

    async fn make_call<T: Send + 'static>(
        &self,
        method: &str,
        params: Option<&RawValue>,
        named: impl FnOnce(u64) + Send,
        then: impl FnOnce(&RawValue) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let closed = || self.why_closed();
        let _slot = self.slots.acquire().await.map_err(|_| closed())?;
        let (sender, answer) = oneshot::channel();
        // Fails if the call was cancelled, which needs no handling.
        let take = move |result: Result<&RawValue, RpcError>| drop(sender.send(result.map(then)));
        let call = self.open(OnAnswer(Box::new(take)))?;
        named(call.id);
        let text = request(Some(call.id), method, params);
        self.outbox.send(text).await.map_err(|_| closed())?;
        Ok(answer.await.map_err(|_| closed())??)
    }

    /// Queues a notification if there is room for it, for destructors, which cannot wait.
    ///
    /// # Errors
    /// There is no room, or the connection has ended.
    pub fn try_notify(&self, method: &str, params: &RawValue) -> Result<(), Closed> {
        self.outbox.try_send(request(None, method, Some(params)))
    }

    /// Ends the call that an answer is for. An answer to none is ignored.
    pub fn answered(&self, answer: &Members<&RawValue>) {
        let id = answer.id.and_then(|id| id.get().parse().ok());
        let call = id.and_then(|id| self.state().calls.end(id));
        if let Some(OnAnswer(take)) = call {
            let error = answer.error.filter(|error| error.get() != "null");
            let result = answer.result.unwrap_or(RawValue::NULL);
            take(error.map_or(Ok(result), |error| Err(ErrorObject::read(error))));
        }
    }

    /// Reads until the connection ends, hands out what comes, and writes what is queued. The other
    /// side's calls are refused: this end has no methods.
    pub async fn run(&self, stream: TextStream, mut inbox: impl Inbox) {
        let TextStream {
            mut incoming,
            outgoing,
        } = stream;
        let _end = EndOnDrop(self);
        let reading = async {
            while let Some(Ok(text)) = incoming.next().await {
                self.receive(&text, &mut inbox).await;
            }
        };
        let writing = async {
            // The last words of the other side are read even if it takes no more, such as why it closes.
            drop(write(&self.outbox, outgoing).await);
            self.outbox.close();
            std::future::pending::<()>().await;
        };
        // Biased, reading first: what it queues is written in the same poll, without a wake.
        tokio::select! { biased;
            () = reading => {}
            () = writing => {}
        }
    }

    /// Skips texts that are no messages: a newer daemon may send kinds that are unknown here.
    async fn receive(&self, text: &[u8], inbox: &mut impl Inbox) {
        let Ok(message) = serde_json::from_slice::<Members<&RawValue>>(text) else {
            return;
        };
        if message.is_answer() {
            let id = message.id.filter(|id| id.get() != "null");
            match message.error {
                Some(error) if id.is_none() => {
                    self.state().refusal = Some(ErrorObject::read(error));
                }
                _ => self.answered(&message),
            }
            return;
        }
        match message.id.and_then(RequestId::parse) {
            Some(id) => {
                let error = RpcError::new(ErrorCode::MethodNotFound, "no such method");
                // Fails if the connection is ending.
                let _: Result<(), Closed> = self.outbox.reply(refusal(&id, &error)).await;
            }
            None => {
                inbox
                    .notified(message.params.unwrap_or(RawValue::NULL))
                    .await;
            }
        }
    }

    /// Ends all calls, and refuses further ones: no answer is read from now on.
    pub fn end_calls(&self) {
        self.slots.close();
        self.ended.cancel();
        self.state().calls.clear();
    }

    /// Ends all calls and takes no further text.
    pub fn close(&self) {
        self.end_calls();
        self.outbox.close();
    }

    /// Resolves once no answer can come any more.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    fn open(&self, on_answer: OnAnswer) -> Result<OpenCall<'_>, CallError> {
        let mut state = self.state();
        if self.ended.is_cancelled() {
            drop(state);
            return Err(self.why_closed());
        }
        let id = state.calls.open(on_answer);
        Ok(OpenCall { peer: self, id })
    }

    fn why_closed(&self) -> CallError {
        let refusal = self.state().refusal.clone();
        refusal.map_or(CallError::Closed, CallError::Rpc)
    }

    fn state(&self) -> MutexGuard<'_, PeerState> {
        // No code panics between two related changes of the state, so a poisoned lock is usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a peer however its reader ends: end of file, error, or an aborted task.
struct EndOnDrop<'a>(&'a Peer);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
