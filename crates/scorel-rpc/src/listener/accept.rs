use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::Duration;

use scorel_peer::{RequestId, refusal};
use scorel_proto::{ErrorCode, RpcError};
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf, UCred};
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

use super::Listener;
use super::looks::SocketLooks;
use crate::{Caller, HttpDocuments, Service, http};

/// The pauses after failed calls of `accept` double with each, up to a limit.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Service {
    /// Serves every connection that a listener accepts, until the service shuts down and all of them
    /// have ended. `admit` authenticates a peer by its credentials; a peer that it refuses is
    /// disconnected before anything is read.
    pub async fn listen<A>(&self, mut listener: Listener, admit: A)
    where
        A: Fn(&UCred) -> Option<Caller>,
    {
        let connections = TaskTracker::new();
        let documents = listener.documents.clone();
        let mut looks = SocketLooks::new(Arc::clone(listener.bell()));
        loop {
            let (stream, _) = tokio::select! {
                () = self.shutdown().cancelled() => break,
                () = looks.due() => {
                    if looks.has_settled(listener.is_missing()) {
                        listener.restore();
                    }
                    continue;
                }
                accepted = persist(|| listener.socket.accept()) => accepted,
            };
            match admitted(&stream, &admit) {
                Ok(Some(caller)) => self.connect(stream, caller, &connections, documents.clone()),
                Ok(None) => tracing::warn!("a peer was not admitted"),
                Err(error) => tracing::debug!(%error, "cannot read a peer's credentials"),
            }
        }
        drop(listener);
        connections.close();
        connections.wait().await;
    }

    fn connect(
        &self,
        stream: UnixStream,
        caller: Caller,
        connections: &TaskTracker,
        documents: Option<Arc<dyn HttpDocuments>>,
    ) {
        let Some(slot) = self.slot() else {
            refuse(&stream);
            return;
        };
        let service = self.clone();
        connections.spawn(async move {
            let (reader, writer) = stream.into_split();
            match documents {
                Some(documents) => {
                    let serving = service.serve_either(reader, writer, caller, &*documents);
                    serving.await;
                }
                None => drop(service.serve_stream(reader, writer, caller).await),
            }
            drop(slot);
        });
    }

    /// Serves JSON-RPC, or answers one `GET`: the first byte decides.
    async fn serve_either(
        &self,
        mut reader: OwnedReadHalf,
        writer: OwnedWriteHalf,
        caller: Caller,
        documents: &dyn HttpDocuments,
    ) {
        let mut first = [0];
        let reading = reader.read(&mut first);
        match self.shutdown().run_until_cancelled(reading).await {
            Some(Ok(1)) if first == [http::FIRST_BYTE] => {
                let serving = http::serve(
                    Cursor::new(first).chain(reader),
                    writer,
                    documents,
                    self.limits(),
                );
                if let Some(Err(error)) = self.shutdown().run_until_cancelled(serving).await {
                    tracing::debug!(%error, "an HTTP request was not answered");
                }
            }
            Some(Ok(1)) => drop(
                self.serve_stream(Cursor::new(first).chain(reader), writer, caller)
                    .await,
            ),
            // The peer or the daemon has ended it.
            _ => {}
        }
    }
}

/// Retries `accept` until it succeeds. `EMFILE` and the like pass when other connections close, and the
/// pending connection keeps the socket readable, so retrying without a pause would spin.
async fn persist<T, F, A>(mut attempt: F) -> T
where
    F: FnMut() -> A,
    A: Future<Output = io::Result<T>>,
{
    let mut wait = FIRST_PAUSE;
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => {
                tracing::warn!(%error, ?wait, "cannot accept connections");
                sleep(wait).await;
                wait = (wait * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

fn admitted(
    stream: &UnixStream,
    admit: impl Fn(&UCred) -> Option<Caller>,
) -> io::Result<Option<Caller>> {
    Ok(admit(&stream.peer_cred()?))
}

/// Sends an error if the socket takes it without waiting, and disconnects.
fn refuse(stream: &UnixStream) {
    let error = RpcError::new(ErrorCode::Overloaded, "too many connections");
    let mut line = bytes::BytesMut::new();
    refusal(&RequestId::null(), &error).put(&mut line);
    line.extend_from_slice(b"\n");
    if let Err(error) = stream.try_write(&line) {
        tracing::debug!(%error, "cannot send the error to a refused peer");
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failing_accepts_are_retried_with_pauses() {
        let started = Instant::now();
        let mut attempts = 0;
        let attempt = || {
            attempts += 1;
            std::future::ready(match started.elapsed() < Duration::from_secs(10) {
                true => Err(io::Error::other("too many open files")),
                false => Ok(()),
            })
        };
        persist(attempt).await;
        assert_eq!(attempts, 18, "attempts in ten seconds");
        assert!(
            started.elapsed() < Duration::from_secs(11),
            "recovery within a second"
        );
    }
}
