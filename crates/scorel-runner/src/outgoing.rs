//! What waits to be written to a peer.

use std::collections::VecDeque;
use std::io;

use scorel_engine::{RunnerError, RunnerErrorKind};
use tokio::net::unix::pipe::Sender;
use tokio::task::coop::consume_budget;

/// Bytes that may wait. A prompt with images is the largest message.
const MAX_WAITING: usize = 32 * 1024 * 1024;

/// Written while the peer is read: a peer that writes before it reads would otherwise wait for us, and
/// we for it.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// `None` when the input is closed.
    pipe: Option<Sender>,
    waiting: VecDeque<u8>,
    /// True if the pipe is closed once all is written.
    ends: bool,
}

impl Outgoing {
    pub(crate) fn new(pipe: Sender) -> Self {
        Self {
            pipe: Some(pipe),
            waiting: VecDeque::new(),
            ends: false,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), RunnerError> {
        if self.waiting.len() + bytes.len() > MAX_WAITING {
            let message = "the runner does not read what it is sent";
            return Err(RunnerError::new(RunnerErrorKind::Stalled, message));
        }
        self.waiting.extend(bytes);
        Ok(())
    }

    /// Closes the pipe after what waits.
    pub(crate) fn end(&mut self) {
        self.ends = true;
        self.close_if_done();
    }

    /// Writes until nothing waits, and then never completes. Cancel-safe.
    pub(crate) async fn drive(&mut self) -> ! {
        while let Some(pipe) = &self.pipe
            && !self.waiting.is_empty()
        {
            // A program that reads as fast as we write keeps the pipe writable.
            consume_budget().await;
            let written = match pipe.writable().await {
                Ok(()) => pipe.try_write(self.waiting.as_slices().0),
                Err(error) => Err(error),
            };
            match written {
                Ok(count) => {
                    self.waiting.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // EPIPE: the program stopped reading. Its output or its exit says why.
                Err(_) => self.close(),
            }
            self.close_if_done();
        }
        std::future::pending().await
    }

    fn close_if_done(&mut self) {
        if self.ends && self.waiting.is_empty() {
            self.close();
        }
    }

    fn close(&mut self) {
        self.pipe = None;
        self.waiting = VecDeque::new();
    }
}
