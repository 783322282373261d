//! Texts on a byte stream. In: bytes; out: one frame per JSON text, and back.
//!
//! Two framings are told apart by the first byte: lines for shells and scripts, header blocks for
//! clients with a library for the Language Server Protocol. Neither side negotiates anything, and the
//! driver knows neither.

mod decoder;
mod encoder;
mod error;
mod header;
mod incoming;
mod kind;
mod lines;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::codec::FramedWrite;

pub use error::FrameError;
pub use lines::{LineCutter, LineTooLong};

use crate::JsonText;
use decoder::FrameDecoder;
use encoder::TextEncoder;
use incoming::Incoming;
use kind::ChosenFraming;

/// Bytes that are encoded before they are written: as much as the outbox hands out at a time.
const WRITE_SIZE: usize = 64 * 1024;

/// Limits of the texts on a byte stream.
#[derive(Debug, Clone, Copy)]
pub struct FrameLimits {
    /// Bytes of the largest text that is read.
    pub frame: usize,
    /// From a text's first byte to its last; `None` for any time.
    pub partial_frame: Option<Duration>,
    /// How long the other side may read nothing while there is something to write; `None` for any time.
    pub write: Option<Duration>,
}

/// Wraps the two halves of a byte stream. Texts that are written before the first byte is read are
/// framed as lines.
pub fn frame<R, W>(
    reader: R,
    writer: W,
    limits: &FrameLimits,
) -> (
    impl Stream<Item = Result<Bytes, FrameError>> + Unpin + use<R, W>,
    impl Sink<JsonText, Error = io::Error> + Unpin + use<R, W>,
)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite,
{
    let chosen = ChosenFraming::default();
    let decoder = FrameDecoder::new(Arc::clone(&chosen), limits.frame);
    let incoming = Incoming::new(reader, decoder, limits.partial_frame);
    // The timeout restarts with every byte written: a slow reader may take long for a large text, a
    // stalled one may not.
    let mut writer = TimeoutWriter::new(writer);
    writer.set_timeout(limits.write);
    let mut outgoing = FramedWrite::new(Box::pin(writer), TextEncoder::new(chosen));
    outgoing.set_backpressure_boundary(WRITE_SIZE);
    (incoming, outgoing)
}
