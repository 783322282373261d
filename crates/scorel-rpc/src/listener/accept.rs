use std::io;

use scorel_proto::{ErrorCode, RpcError};
use tokio::net::UnixStream;
use tokio::net::unix::UCred;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

use super::Listener;
use super::backoff::Backoff;
use crate::envelope::RequestId;
use crate::{Caller, Service, reply};

impl Service {
    /// Serves every connection that a listener accepts until the service shuts down and all of them
    /// have ended. `admit` says who a peer is; a peer that is nobody is closed without being read.
    pub async fn listen<A>(&self, listener: Listener, admit: A)
    where
        A: Fn(&UCred) -> Option<Caller>,
    {
        let connections = TaskTracker::new();
        let stopped = self.shutdown();
        let socket = &listener.socket;
        while let Some((stream, _)) = stopped
            .run_until_cancelled(persist(|| socket.accept()))
            .await
        {
            match admitted(&stream, &admit) {
                Ok(Some(caller)) => self.connect(stream, caller, &connections),
                Ok(None) => tracing::warn!("a peer was not admitted"),
                Err(error) => tracing::debug!(%error, "a peer without credentials"),
            }
        }
        drop(listener);
        connections.close();
        connections.wait().await;
    }

    fn connect(&self, stream: UnixStream, caller: Caller, connections: &TaskTracker) {
        let Some(slot) = self.slot() else {
            refuse(&stream);
            return;
        };
        let service = self.clone();
        connections.spawn(async move {
            let (reader, writer) = stream.into_split();
            service.serve_stream(reader, writer, caller).await;
            drop(slot);
        });
    }
}

/// Tries until it succeeds. A failure is not the listener's end: descriptors may become free.
async fn persist<T, F, A>(mut attempt: F) -> T
where
    F: FnMut() -> A,
    A: Future<Output = io::Result<T>>,
{
    let mut backoff = Backoff::new();
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => {
                let wait = backoff.next();
                tracing::warn!(%error, ?wait, "cannot accept connections");
                sleep(wait).await;
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

/// Says why, if that can be written at once, and closes.
fn refuse(stream: &UnixStream) {
    let error = RpcError::new(ErrorCode::Overloaded, "too many connections");
    let mut line = bytes::BytesMut::new();
    reply::error(&RequestId::null(), &error).put(&mut line);
    line.extend_from_slice(b"\n");
    if let Err(error) = stream.try_write(&line) {
        tracing::debug!(%error, "cannot tell a peer that there are too many");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_listener_without_descriptors_waits_instead_of_spinning() {
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
        assert!(attempts < 25, "{attempts} attempts in ten seconds");
        assert!(
            started.elapsed() < Duration::from_secs(11),
            "recovery within a second"
        );
    }
}
