use std::io;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::dispatch::Dispatcher;
use crate::driver::Driver;
use crate::{Caller, Connection, FrameError, InvalidLimits, Limits, MethodTable, Text};
use crate::{framing, writer};

/// Why a connection ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum End {
    /// The peer sends no more.
    PeerClosed,
    /// The peer sent what cannot be followed by another frame.
    BadFrame(FrameError),
    /// The service was told to shut down.
    Shutdown,
    /// [`Connection::close`] was called, or a subscription panicked.
    Closed,
    /// Writing failed, or the peer took nothing for too long.
    WriteFailed(io::Error),
}

/// A method table with limits, for any number of connections.
#[derive(Debug, Clone)]
pub struct Service {
    table: Arc<MethodTable>,
    limits: Arc<Limits>,
    shutdown: CancellationToken,
    slots: Arc<Semaphore>,
}

impl Service {
    /// A service that goes on until `shutdown` is cancelled.
    ///
    /// # Errors
    /// A limit is outside its range.
    pub fn new(
        table: Arc<MethodTable>,
        limits: Limits,
        shutdown: CancellationToken,
    ) -> Result<Self, InvalidLimits> {
        limits.validate()?;
        Ok(Self {
            table,
            slots: Arc::new(Semaphore::new(limits.connections)),
            limits: Arc::new(limits),
            shutdown,
        })
    }

    /// Serves one connection whose texts are delimited by its transport.
    ///
    /// The sink has to fail when its peer takes nothing for [`Limits::write_timeout`]. After
    /// `shutdown`, or when the peer sends no more, calls in flight have [`Limits::drain`] to
    /// finish; then what is in the outbox is written and the sink closed. Whatever the reason,
    /// nothing of the connection goes on when this returns or is dropped.
    pub async fn serve<In, Out>(&self, incoming: In, outgoing: Out, caller: Caller) -> End
    where
        In: Stream<Item = Result<Bytes, FrameError>> + Unpin + Send,
        Out: Sink<Text, Error = io::Error> + Unpin + Send,
    {
        let connection = Connection::new(caller, Arc::clone(&self.limits));
        let _kill = connection.killed().clone().drop_guard();
        let end = self.run(&connection, incoming, outgoing).await;
        connection.close();
        connection.pumps_ended().await;
        tracing::debug!(connection = connection.id(), ?end, "connection ended");
        end
    }

    /// Serves one connection over a byte stream, in the framing that the peer's first byte shows.
    pub async fn serve_stream<R, W>(&self, reader: R, writer: W, caller: Caller) -> End
    where
        R: AsyncRead + Unpin + Send,
        W: AsyncWrite + Send,
    {
        let (incoming, outgoing) = framing::frame(reader, writer, &self.limits);
        self.serve(incoming, outgoing, caller).await
    }

    async fn run<In, Out>(&self, connection: &Connection, incoming: In, outgoing: Out) -> End
    where
        In: Stream<Item = Result<Bytes, FrameError>> + Unpin,
        Out: Sink<Text, Error = io::Error> + Unpin,
    {
        let dispatcher = Dispatcher::new(Arc::clone(&self.table), connection.clone());
        let mut driver = Driver::new(connection.clone(), dispatcher);
        let mut written = pin!(writer::write(connection.outbox(), outgoing));
        let reading = async {
            let end = driver.read(incoming, &self.shutdown).await;
            if !matches!(end, End::Closed) {
                driver.finish(self.limits.drain).await;
            }
            connection.outbox().close();
            end
        };
        // Reading comes first: what it puts into the outbox is written in the same poll.
        let end = tokio::select! { biased;
            end = reading => end,
            written = &mut written => return match written {
                Ok(()) => End::Closed,
                Err(error) => End::WriteFailed(error),
            },
        };
        let flushed = tokio::select! { biased;
            flushed = written => flushed,
            () = self.overdue() => Err(io::ErrorKind::TimedOut.into()),
            () = connection.killed().cancelled() => Ok(()),
        };
        match (end, flushed) {
            (End::PeerClosed, Err(error)) => End::WriteFailed(error),
            (end, _) => end,
        }
    }

    /// Resolves a grace period after the shutdown.
    async fn overdue(&self) {
        self.shutdown.cancelled().await;
        tokio::time::sleep(self.limits.drain).await;
    }

    /// A way to see how much the connections use.
    #[must_use]
    pub fn load(&self) -> Load {
        Load {
            slots: Arc::clone(&self.slots),
            connections: self.limits.connections,
        }
    }

    /// Takes one of the places that there are for connections.
    pub(crate) fn slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).try_acquire_owned().ok()
    }

    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }
}

/// How much the connections of a service use.
#[derive(Debug, Clone)]
pub struct Load {
    slots: Arc<Semaphore>,
    connections: usize,
}

impl Load {
    /// How many connections there are.
    #[must_use]
    pub fn connections(&self) -> u32 {
        let open = self
            .connections
            .saturating_sub(self.slots.available_permits());
        u32::try_from(open).unwrap_or(u32::MAX)
    }
}
