use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use reqwest::Response;
use scorel_process::{PacedReader, RedactedReader, Secrets};
use sse_stream::{Sse, SseByteStream};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::io::{ReaderStream, StreamReader};

/// Bytes of the largest text of a server.
pub(crate) const MAX_TEXT: usize = 16 * 1024 * 1024;

/// The body of a response, at the pace with which servers are read, without the secrets in it.
pub(crate) fn body(response: Response, secrets: Secrets) -> impl AsyncRead + Send + Unpin {
    let chunks = response.bytes_stream();
    let chunks = chunks.map_err(|error| io::Error::other(error.without_url()));
    RedactedReader::new(PacedReader::new(StreamReader::new(chunks.boxed())), secrets)
}

/// A whole body, at most `limit` bytes and one more, or what is left of them without the secrets in them.
pub(crate) async fn whole(
    response: Response,
    secrets: Secrets,
    limit: usize,
) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut body = body(response, secrets.clone()).take(limit);
    body.read_to_end(&mut bytes).await?;
    Ok(secrets.cut_json(bytes))
}

/// The events of a body.
pub(crate) struct EventStream {
    events: Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>,
    secrets: Secrets,
    /// Since the last event.
    unread: Arc<AtomicUsize>,
    /// The place at which it can be taken up again.
    pub(crate) last_id: Option<String>,
    /// The pause before that.
    pub(crate) retry: Option<Duration>,
}

impl EventStream {
    pub(crate) fn new(response: Response, secrets: Secrets) -> Self {
        let unread = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&unread);
        let bytes = ReaderStream::new(body(response, secrets.clone())).map(
            move |chunk: io::Result<Bytes>| {
                let chunk = chunk?;
                match counted.fetch_add(chunk.len(), Ordering::Relaxed) > MAX_TEXT {
                    true => Err(io::Error::other("an event has too many bytes")),
                    false => Ok(chunk),
                }
            },
        );
        Self {
            events: Box::pin(SseByteStream::new(bytes)),
            secrets,
            unread,
            last_id: None,
            retry: None,
        }
    }

    /// One that goes on after the last event of another.
    pub(crate) fn after(
        last: String,
        retry: Option<Duration>,
        response: Response,
        secrets: Secrets,
    ) -> Self {
        Self {
            last_id: Some(last),
            retry,
            ..Self::new(response, secrets)
        }
    }

    /// The next text; `None` at the end, or where the connection was lost.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            let event = self.events.next().await?.ok()?;
            self.unread.store(0, Ordering::Relaxed);
            self.last_id = event.id.or(self.last_id.take());
            self.retry = event.retry.map(Duration::from_millis).or(self.retry);
            let is_message = event
                .event
                .is_none_or(|it| it.is_empty() || it == "message");
            let data = event.data.filter(|it| is_message && !it.trim().is_empty());
            if let Some(data) = data {
                return Some(self.secrets.cut_json(data));
            }
        }
    }
}
