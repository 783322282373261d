use std::io;
use std::pin::pin;
use std::sync::Arc;

use scorel_peer::{TextStream, write};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::dispatch::Dispatcher;
use crate::driver::Driver;
use crate::{Caller, Connection, ConnectionEnd, InvalidLimits, MethodTable, RpcLimits};

/// A method table with limits; serves any number of connections.
#[derive(Debug, Clone)]
pub struct Service {
    table: Arc<MethodTable>,
    limits: Arc<RpcLimits>,
    shutdown: CancellationToken,
    slots: Arc<Semaphore>,
}

impl Service {
    /// `shutdown` drains all connections.
    ///
    /// # Errors
    /// A limit is outside its range.
    pub fn new(
        table: Arc<MethodTable>,
        limits: RpcLimits,
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

    /// Serves one connection over a transport that delimits texts itself.
    ///
    /// The sink has to fail when its peer reads nothing for [`RpcLimits::write_timeout`]. After
    /// `shutdown`, or at the peer's end of file, calls in flight have [`RpcLimits::drain`] to finish; then
    /// the outbox is written and the sink closed. When this returns or is dropped, no call and no pump
    /// of the connection runs.
    pub async fn serve(&self, stream: TextStream, caller: Caller) -> ConnectionEnd {
        let connection = Connection::new(caller, Arc::clone(&self.limits));
        let _kill = connection.killed().clone().drop_guard();
        let end = self.run(&connection, stream).await;
        connection.close();
        connection.pumps_ended().await;
        tracing::debug!(connection = connection.id(), ?end, "connection ended");
        end
    }

    /// Serves one connection over a byte stream, in the framing of the client's first byte.
    pub async fn serve_stream<R, W>(&self, reader: R, writer: W, caller: Caller) -> ConnectionEnd
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let stream = TextStream::of_bytes(reader, writer, &self.limits.framing());
        self.serve(stream, caller).await
    }

    async fn run(&self, connection: &Connection, stream: TextStream) -> ConnectionEnd {
        let dispatcher = Dispatcher::new(Arc::clone(&self.table), connection.clone());
        let mut driver = Driver::new(connection.clone(), dispatcher);
        let mut written = pin!(write(connection.outbox(), stream.outgoing));
        let reading = async {
            let end = driver.read(stream.incoming, &self.shutdown).await;
            if !matches!(end, ConnectionEnd::Closed) {
                driver.finish(self.limits.drain).await;
            }
            connection.outbox().close();
            end
        };
        // Biased, reading first: replies that it queues are written in the same poll, without a wake.
        let end = tokio::select! { biased;
            end = reading => end,
            written = &mut written => return match written {
                Ok(()) => ConnectionEnd::Closed,
                Err(error) => ConnectionEnd::WriteFailed(error),
            },
        };
        let flushed = tokio::select! { biased;
            flushed = written => flushed,
            () = self.overdue() => Err(io::ErrorKind::TimedOut.into()),
            () = connection.killed().cancelled() => Ok(()),
        };
        match (end, flushed) {
            (ConnectionEnd::PeerClosed, Err(error)) => ConnectionEnd::WriteFailed(error),
            (end, _) => end,
        }
    }

    /// Resolves [`RpcLimits::drain`] after the shutdown.
    async fn overdue(&self) {
        self.shutdown.cancelled().await;
        tokio::time::sleep(self.limits.drain).await;
    }

    pub fn load(&self) -> Load {
        Load {
            slots: Arc::clone(&self.slots),
            connections: self.limits.connections,
        }
    }

    /// A permit for one connection; `None` at the limit.
    pub(crate) fn slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).try_acquire_owned().ok()
    }

    pub(crate) fn limits(&self) -> &RpcLimits {
        &self.limits
    }

    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }
}

/// The use of a service, for status reports.
#[derive(Debug, Clone)]
pub struct Load {
    slots: Arc<Semaphore>,
    connections: usize,
}

impl Load {
    pub fn connections(&self) -> u32 {
        let open = self
            .connections
            .saturating_sub(self.slots.available_permits());
        u32::try_from(open).unwrap_or(u32::MAX)
    }
}
