//! The writing half of a connection: the outbox drained into the sink.

use std::io;

use futures_util::SinkExt;

use crate::outbox::Outbox;
use crate::text_stream::OutgoingTexts;

/// Writes until the outbox is closed and empty, then closes the sink. Texts that wait are written in
/// one flush. Their room is released only then, so that what the sink buffers counts too.
///
/// # Errors
/// Those of the sink: the other side is gone, or takes nothing.
pub async fn write(outbox: &Outbox, mut sink: OutgoingTexts) -> io::Result<()> {
    let mut batch = Vec::new();
    while let Some(room) = outbox.take(&mut batch).await {
        for text in batch.drain(..) {
            sink.feed(text).await?;
        }
        sink.flush().await?;
        outbox.release(room);
    }
    sink.close().await
}
