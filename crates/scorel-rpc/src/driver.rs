//! The reading half of a connection, and its calls.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::dispatch::{Dispatcher, Work};
use crate::envelope::{self, Frame};
use crate::{Connection, End, FrameError};

/// Reads frames and runs what they ask for.
pub(crate) struct Driver {
    connection: Connection,
    dispatcher: Dispatcher,
    calls: FuturesUnordered<InHand>,
    /// The size of their frames, and of their replies where they may be large.
    held: usize,
}

/// A call in flight, and what it counts.
struct InHand {
    run: BoxFuture<'static, ()>,
    size: usize,
}

impl Future for InHand {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<usize> {
        self.run.as_mut().poll(cx).map(|()| self.size)
    }
}

impl Driver {
    pub(crate) fn new(connection: Connection, dispatcher: Dispatcher) -> Self {
        Self {
            connection,
            dispatcher,
            calls: FuturesUnordered::new(),
            held: 0,
        }
    }

    /// Reads until nothing more can or should be read.
    pub(crate) async fn read<In>(&mut self, mut incoming: In, shutdown: &CancellationToken) -> End
    where
        In: Stream<Item = Result<Bytes, FrameError>> + Unpin,
    {
        let connection = self.connection.clone();
        let mut killed = pin!(connection.killed().cancelled());
        let mut stopped = pin!(shutdown.cancelled());
        loop {
            let room = self.has_room();
            tokio::select! { biased;
                () = &mut killed => return End::Closed,
                () = &mut stopped => return End::Shutdown,
                Some(size) = self.calls.next() => self.held -= size,
                frame = incoming.next(), if room => match frame {
                    None => return End::PeerClosed,
                    Some(Ok(frame)) => if let Err(error) = self.frame(frame).await {
                        return End::BadFrame(error);
                    },
                    Some(Err(error)) => {
                        self.report(&error).await;
                        return End::BadFrame(error);
                    }
                },
            }
        }
    }

    /// Lets calls and pumps come to an end, for a while.
    pub(crate) async fn finish(&mut self, grace: Duration) {
        self.connection.drain().cancel();
        let finished = async {
            while self.calls.next().await.is_some() {}
            self.connection.pumps_ended().await;
        };
        if timeout(grace, finished).await.is_err() {
            tracing::debug!(connection = self.connection.id(), "calls were cut off");
        }
    }

    /// Whether one more frame may be read.
    fn has_room(&self) -> bool {
        let limits = self.connection.limits();
        self.calls.len() < limits.calls && self.held < limits.in_flight
    }

    async fn frame(&mut self, bytes: Bytes) -> Result<(), FrameError> {
        let size = bytes.len();
        let frame = envelope::parse(&bytes, self.connection.limits());
        // What was asked for is a copy; the call may take long.
        drop(bytes);
        let ends = matches!(frame, Frame::NotUtf8);
        if let Some(work) = self.dispatcher.work(frame) {
            self.begin(work, size).await;
        }
        if ends {
            Err(FrameError::NotUtf8)
        } else {
            Ok(())
        }
    }

    /// Polls once, here and now: this is what keeps calls in order of arrival.
    async fn begin(&mut self, work: Work, frame: usize) {
        let mut run = work.run;
        let polled = poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
        if polled.is_pending() {
            let size = frame + work.reply;
            self.held += size;
            self.calls.push(InHand { run, size });
        }
    }

    /// Tells the peer why nothing more is read, where that can be of use.
    async fn report(&mut self, error: &FrameError) {
        let code = match error {
            FrameError::Stalled | FrameError::Io(_) => return,
            FrameError::TooLarge { .. } => ErrorCode::PayloadTooLarge,
            _ => ErrorCode::ParseError,
        };
        let mut answer = RpcError::new(code, error.to_string());
        if let FrameError::TooLarge { limit } = error {
            answer = answer.with_details(json!({ "limit": limit }));
        }
        let work = self.dispatcher.refusal(&answer);
        self.begin(work, 0).await;
    }
}
