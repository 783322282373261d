//! The writing half of a connection.

use std::io;

use futures_util::{Sink, SinkExt};

use crate::Text;
use crate::outbox::Outbox;

/// Writes what is put into the outbox until it is closed and empty, then closes the sink. Texts
/// that wait are written together.
pub(crate) async fn write<K>(outbox: &Outbox, mut sink: K) -> io::Result<()>
where
    K: Sink<Text, Error = io::Error> + Unpin,
{
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
