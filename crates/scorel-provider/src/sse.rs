//! Reads an HTTP body as an event stream.
//!
//! The grammar is the library's. What endpoints add to the grammar is turned into plain events
//! before the library sees it; see [`Normaliser`].

mod normaliser;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use sse_stream::SseByteStream;

use crate::http::ReadError;

pub(crate) use normaliser::{Normaliser, OPEN_END};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The event's type, where it was named.
    pub(crate) name: Option<String>,
    /// Its data lines.
    pub(crate) data: String,
}

impl Event {
    /// Whether the body ended inside the event, so that its data may be cut off.
    pub(crate) fn is_open_end(&self) -> bool {
        self.name.as_deref() == Some(OPEN_END)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.name.as_deref() == Some("error")
    }
}

/// The events of a body. After an error the stream ends.
pub(crate) fn events(
    body: impl Stream<Item = Result<Bytes, ReadError>> + Send + 'static,
) -> BoxStream<'static, Result<Event, ReadError>> {
    SseByteStream::new(normalised(body))
        .filter_map(async |item| match item {
            Ok(event) => event.data.map(|data| {
                Ok(Event {
                    name: event.event,
                    data,
                })
            }),
            Err(error) => Some(Err(read_error(error))),
        })
        .boxed()
}

fn normalised(
    body: impl Stream<Item = Result<Bytes, ReadError>> + Send + 'static,
) -> BoxStream<'static, Result<Bytes, ReadError>> {
    let state = Some((body.boxed(), Normaliser::default()));
    stream::unfold(state, async |state| {
        let (mut body, mut normaliser) = state?;
        match body.next().await {
            Some(Ok(bytes)) => match normaliser.push(&bytes) {
                Ok(bytes) => Some((Ok(Bytes::from(bytes)), Some((body, normaliser)))),
                Err(error) => Some((Err(error), None)),
            },
            Some(Err(error)) => Some((Err(error), None)),
            None => Some((Ok(Bytes::from(normaliser.finish())), None)),
        }
    })
    .boxed()
}

/// Gets our own error back out of the library's.
fn read_error(error: sse_stream::Error) -> ReadError {
    match error {
        sse_stream::Error::Body(error) => match error.downcast::<ReadError>() {
            Ok(error) => *error,
            Err(error) => ReadError::Cut(error.to_string()),
        },
        sse_stream::Error::Utf8Parse(_) => ReadError::NotUtf8,
        other => ReadError::Cut(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
