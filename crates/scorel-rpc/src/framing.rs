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

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::codec::FramedWrite;

pub use error::FrameError;
pub(crate) use incoming::Incoming;

use crate::RpcLimits;
use decoder::FrameDecoder;
use encoder::TextEncoder;
use kind::ChosenFraming;

/// Bytes that are encoded before they are written: as much as the outbox hands out at a time.
const WRITE_SIZE: usize = 64 * 1024;

pub(crate) type Outgoing<W> = FramedWrite<std::pin::Pin<Box<TimeoutWriter<W>>>, TextEncoder>;

/// Wraps the two halves of a byte stream. Texts that are written before the first byte is read are
/// framed as lines.
pub(crate) fn frame<R, W>(reader: R, writer: W, limits: &RpcLimits) -> (Incoming<R>, Outgoing<W>)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite,
{
    let chosen = ChosenFraming::default();
    let decoder = FrameDecoder::new(Arc::clone(&chosen), limits.frame_in);
    let incoming = Incoming::new(reader, decoder, limits.partial_frame);
    (incoming, outgoing(writer, chosen, limits.write_timeout))
}

fn outgoing<W: AsyncWrite>(writer: W, chosen: ChosenFraming, timeout: Duration) -> Outgoing<W> {
    // The timeout restarts with every byte written: a slow client may take long for a large text, a
    // stalled one may not.
    let mut writer = TimeoutWriter::new(writer);
    writer.set_timeout(Some(timeout));
    let mut outgoing = FramedWrite::new(Box::pin(writer), TextEncoder::new(chosen));
    outgoing.set_backpressure_boundary(WRITE_SIZE);
    outgoing
}
