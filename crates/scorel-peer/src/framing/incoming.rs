use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::io::AsyncRead;
use tokio::time::{Sleep, sleep};
use tokio_util::codec::FramedRead;

use super::decoder::FrameDecoder;
use super::error::FrameError;

/// The frames of a byte stream. A deadline runs from a frame's first byte to its last; between frames
/// a client may be silent for ever.
#[derive(Debug)]
pub(crate) struct Incoming<R> {
    frames: FramedRead<R, FrameDecoder>,
    partial_frame: Option<Duration>,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    pub(crate) fn new(reader: R, decoder: FrameDecoder, partial_frame: Option<Duration>) -> Self {
        Self {
            frames: FramedRead::new(reader, decoder),
            partial_frame,
            deadline: None,
        }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(limit) = self.partial_frame else {
            return Poll::Pending;
        };
        if !self.frames.decoder().in_frame(self.frames.read_buffer()) {
            self.deadline = None;
            return Poll::Pending;
        }
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
        deadline.as_mut().poll(cx)
    }
}

impl<R: AsyncRead + Unpin> Stream for Incoming<R> {
    type Item = Result<Bytes, FrameError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.frames).poll_next(cx) {
            self.deadline = None;
            return Poll::Ready(frame);
        }
        self.poll_deadline(cx)
            .map(|()| Some(Err(FrameError::Stalled)))
    }
}
