//! Texts on a byte stream: two framings, told apart by the first byte.

mod decoder;
mod encoder;
mod header;
mod incoming;

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::codec::FramedWrite;

pub(crate) use incoming::Incoming;

use crate::Limits;
use decoder::FrameDecoder;
use encoder::TextEncoder;

/// How much is encoded before it is written.
const WRITE_SIZE: usize = 64 * 1024;

/// A buffer that grew beyond this is not kept.
const KEPT_BUFFER: usize = 256 * 1024;

/// How texts are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    /// One text a line.
    Lines,
    /// The base protocol of the language server protocol: a header block with `Content-Length`.
    Headers,
}

/// The framing of a connection, known from its first byte on.
type Chosen = Arc<OnceLock<Framing>>;

/// Why no further frame can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The first byte begins neither JSON nor a header.
    #[error("the first byte begins neither a JSON text nor a Content-Length header")]
    Unrecognised,
    /// A header block cannot be understood.
    #[error("{0}")]
    Header(&'static str),
    /// A frame is larger than the limit.
    #[error("the frame is larger than {limit} bytes")]
    TooLarge {
        /// The largest frame allowed, in bytes.
        limit: usize,
    },
    /// A frame is not text.
    #[error("the frame is not UTF-8")]
    NotUtf8,
    /// A frame began but did not end in time.
    #[error("the frame was not complete in time")]
    Stalled,
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A sink of texts over a byte stream.
pub(crate) type Outgoing<W> = FramedWrite<std::pin::Pin<Box<TimeoutWriter<W>>>, TextEncoder>;

/// Frames the two halves of a byte stream. Without a frame to learn from, lines are written.
pub(crate) fn frame<R, W>(reader: R, writer: W, limits: &Limits) -> (Incoming<R>, Outgoing<W>)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite,
{
    let chosen = Chosen::default();
    let decoder = FrameDecoder::new(Arc::clone(&chosen), limits.frame_in);
    let incoming = Incoming::new(reader, decoder, limits.partial_frame);
    (incoming, outgoing(writer, chosen, limits.write_timeout))
}

fn outgoing<W: AsyncWrite>(writer: W, chosen: Chosen, timeout: Duration) -> Outgoing<W> {
    let mut writer = TimeoutWriter::new(writer);
    writer.set_timeout(Some(timeout));
    let mut outgoing = FramedWrite::new(Box::pin(writer), TextEncoder::new(chosen));
    outgoing.set_backpressure_boundary(WRITE_SIZE);
    outgoing
}
