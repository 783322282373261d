use std::fmt;
use std::io;
use std::pin::Pin;

use bytes::Bytes;
use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{FrameError, FrameLimits, JsonText, frame};

/// JSON texts in both directions, delimited by the transport, such as a socket with lines or a
/// WebSocket.
pub struct TextStream {
    /// Ends with the connection. No text follows an error.
    pub incoming: Pin<Box<dyn Stream<Item = Result<Bytes, FrameError>> + Send>>,
    /// Fails once the other side is gone.
    pub outgoing: Pin<Box<dyn Sink<JsonText, Error = io::Error> + Send>>,
}

impl TextStream {
    pub fn new<In, Out>(incoming: In, outgoing: Out) -> Self
    where
        In: Stream<Item = Result<Bytes, FrameError>> + Send + 'static,
        Out: Sink<JsonText, Error = io::Error> + Send + 'static,
    {
        Self {
            incoming: Box::pin(incoming),
            outgoing: Box::pin(outgoing),
        }
    }

    /// The texts of a byte stream, framed as the other side does it, and as lines until that is known.
    pub fn of_bytes<R, W>(reader: R, writer: W, limits: &FrameLimits) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let (incoming, outgoing) = frame(reader, writer, limits);
        Self::new(incoming, outgoing)
    }
}

impl fmt::Debug for TextStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextStream").finish_non_exhaustive()
    }
}
