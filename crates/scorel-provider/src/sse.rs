//! Decodes a response body as server-sent events.
//!
//! The `sse-stream` crate parses the standard grammar. [`SseNormaliser`] runs before it and turns
//! what providers send outside the grammar into events that it understands.

mod normaliser;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use sse_stream::SseByteStream;

use crate::http::BodyError;

use normaliser::{OPEN_END, SseNormaliser};

/// A server-sent event with data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The `event:` field.
    pub(crate) name: Option<String>,
    /// The `data:` lines, joined by line feeds.
    pub(crate) data: String,
}

impl SseEvent {
    /// Returns whether the body ended inside this event, so that its data may be truncated.
    pub(crate) fn is_open_end(&self) -> bool {
        self.name.as_deref() == Some(OPEN_END)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.name.as_deref() == Some("error")
    }
}

/// The events of a body. The stream ends after an error.
pub(crate) fn events(
    body: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
) -> BoxStream<'static, Result<SseEvent, BodyError>> {
    SseByteStream::new(normalised(body))
        .filter_map(async |item| match item {
            Ok(event) => event.data.map(|data| {
                Ok(SseEvent {
                    name: event.event,
                    data,
                })
            }),
            Err(error) => Some(Err(read_error(error))),
        })
        .boxed()
}

fn normalised(
    body: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
) -> BoxStream<'static, Result<Bytes, BodyError>> {
    let state = Some((body.boxed(), SseNormaliser::default()));
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

/// Unwraps the error that our own body stream returned to the library.
fn read_error(error: sse_stream::Error) -> BodyError {
    match error {
        sse_stream::Error::Body(error) => match error.downcast::<BodyError>() {
            Ok(error) => *error,
            Err(error) => BodyError::Cut(error.to_string()),
        },
        sse_stream::Error::Utf8Parse(_) => BodyError::NotUtf8,
        other => BodyError::Cut(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
