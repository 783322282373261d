use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::codec::FramedWrite;

use crate::JsonText;
use crate::framing::{
    ChosenFraming, FrameDecoder, FrameError, FrameLimits, Framing, Incoming, TextEncoder,
};

/// Bytes that are encoded before they are written: as much as the outbox hands out at a time.
const WRITE_SIZE: usize = 64 * 1024;

/// JSON texts in both directions, delimited by the transport, such as a socket with lines or a
/// WebSocket.
pub struct TextStream {
    /// Ends with the connection. No text follows an error.
    pub incoming: IncomingTexts,
    /// Fails once the other side is gone.
    pub outgoing: OutgoingTexts,
}

pub type IncomingTexts = Pin<Box<dyn Stream<Item = Result<Bytes, FrameError>> + Send>>;
pub type OutgoingTexts = Pin<Box<dyn Sink<JsonText, Error = io::Error> + Send>>;

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
        Self::framed(ChosenFraming::default(), reader, writer, limits)
    }

    /// One text a line, for a protocol that has no other framing: a line that is no JSON is a text like any other.
    pub fn of_lines<R, W>(reader: R, writer: W, limits: &FrameLimits) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let chosen = ChosenFraming::new(Framing::Lines.into());
        Self::framed(chosen, reader, writer, limits)
    }

    /// As [`Self::of_lines`], where an answer that is too long becomes the failure of its call.
    pub fn of_loose_lines<R, W>(reader: R, writer: W, limits: &FrameLimits) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let chosen = ChosenFraming::new(Framing::Lines.into());
        let decoder = FrameDecoder::loose(Arc::clone(&chosen), limits.frame);
        Self::decoded(chosen, decoder, reader, writer, limits)
    }

    /// Texts behind header blocks from the first one on, for a program that reads no other framing.
    pub fn of_headers<R, W>(reader: R, writer: W, limits: &FrameLimits) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let chosen = ChosenFraming::new(Framing::Headers.into());
        Self::framed(chosen, reader, writer, limits)
    }

    fn framed<R, W>(chosen: ChosenFraming, reader: R, writer: W, limits: &FrameLimits) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let decoder = FrameDecoder::new(Arc::clone(&chosen), limits.frame);
        Self::decoded(chosen, decoder, reader, writer, limits)
    }

    fn decoded<R, W>(
        chosen: ChosenFraming,
        decoder: FrameDecoder,
        reader: R,
        writer: W,
        limits: &FrameLimits,
    ) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Send + 'static,
    {
        let incoming = Incoming::new(reader, decoder, limits.partial_frame);
        // The timeout restarts with every byte written: a slow reader may take long for a large text, a
        // stalled one may not.
        let mut writer = TimeoutWriter::new(writer);
        writer.set_timeout(limits.write);
        let mut outgoing = FramedWrite::new(Box::pin(writer), TextEncoder::new(chosen));
        outgoing.set_backpressure_boundary(WRITE_SIZE);
        Self::new(incoming, outgoing)
    }
}

impl fmt::Debug for TextStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextStream").finish_non_exhaustive()
    }
}
