//! The reading half of a connection. In: frames; out: replies in the outbox, from calls that the driver
//! polls itself.
//!
//! Calls are futures in one task, not tasks: a call is polled once in order of arrival before the next
//! frame is read, and all of them are dropped with the connection.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use scorel_peer::{Frame, FrameError, IncomingTexts};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;
use tokio::task::coop::consume_budget;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::dispatch::{Dispatcher, FrameWork};
use crate::{Connection, ConnectionEnd};

pub(crate) struct Driver {
    connection: Connection,
    dispatcher: Dispatcher,
    calls: FuturesUnordered<PendingCall>,
    /// The sizes of all `calls`, compared with [`RpcLimits::in_flight`](crate::RpcLimits::in_flight).
    held: usize,
}

struct PendingCall {
    run: BoxFuture<'static, ()>,
    /// Of its frame and, where that may be large, of its reply.
    size: usize,
}

impl Future for PendingCall {
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

    /// Reads until the connection ends.
    ///
    /// The select is biased: an ended call makes room before the next frame is read, and a connection
    /// that is closed or shut down takes no further frame.
    pub(crate) async fn read(
        &mut self,
        mut incoming: IncomingTexts,
        shutdown: &CancellationToken,
    ) -> ConnectionEnd {
        let connection = self.connection.clone();
        let mut killed = pin!(connection.killed().cancelled());
        let mut stopped = pin!(shutdown.cancelled());
        loop {
            let room = self.has_room();
            tokio::select! { biased;
                () = &mut killed => return ConnectionEnd::Closed,
                () = &mut stopped => return ConnectionEnd::Shutdown,
                Some(size) = self.calls.next() => self.held -= size,
                frame = incoming.next(), if room => match frame {
                    None => return ConnectionEnd::PeerClosed,
                    Some(Ok(frame)) => if let Err(error) = self.frame(frame).await {
                        return ConnectionEnd::BadFrame(error);
                    },
                    Some(Err(error)) => {
                        self.report(&error).await;
                        return ConnectionEnd::BadFrame(error);
                    }
                },
            }
        }
    }

    /// Waits for calls and pumps, at most `grace`.
    pub(crate) async fn finish(&mut self, grace: Duration) {
        // No answer is read any more, so handlers that wait for one go on.
        self.connection.peer().end_calls();
        self.connection.drain().cancel();
        let finished = async {
            while self.calls.next().await.is_some() {}
            self.connection.pumps_ended().await;
        };
        if timeout(grace, finished).await.is_err() {
            tracing::debug!(
                connection = self.connection.id(),
                "calls did not finish in time"
            );
        }
    }

    /// The backpressure on requests: while this is false, the kernel's socket buffer fills and the
    /// client's `write` blocks.
    fn has_room(&self) -> bool {
        let limits = self.connection.limits();
        self.calls.len() < limits.calls && self.held < limits.in_flight
    }

    async fn frame(&mut self, bytes: Bytes) -> Result<(), FrameError> {
        // One read brings thousands of small frames, and those that need no reply wait for nothing.
        consume_budget().await;
        let size = bytes.len();
        let frame = Frame::parse(&bytes, &self.connection.limits().envelope());
        let ends = matches!(frame, Frame::NotUtf8);
        let work = self.dispatcher.work(frame);
        // Calls hold copies; the frame need not live as long as they do.
        drop(bytes);
        if let Some(work) = work {
            self.begin(work, size).await;
        }
        if ends {
            Err(FrameError::NotUtf8)
        } else {
            Ok(())
        }
    }

    /// Polls once before the next frame is read: what handlers do before their first pending await
    /// happens in order of arrival.
    async fn begin(&mut self, work: FrameWork, frame: usize) {
        let mut run = work.run;
        let polled = poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
        if polled.is_pending() {
            let size = frame + work.reply;
            self.held += size;
            self.calls.push(PendingCall { run, size });
        }
    }

    /// Sends an error reply for a bad frame. Not after a timeout or an I/O error: the client is gone or
    /// would take the reply for one to another request.
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
