//! The supervisor's end of the socket to the stage.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use crate::job::{StageReport, take_line};

/// Bytes read at a time.
const CHUNK: usize = 4096;

/// The socket to the stage, and to the init that takes its place. The init ends when this closes.
pub(super) struct StageChannel {
    stream: UnixStream,
    /// Bytes after the last complete line.
    partial: Vec<u8>,
    is_open: bool,
}

impl StageChannel {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            partial: Vec::new(),
            is_open: true,
        })
    }

    /// Has `write` send something. Waits until the other end has taken what the socket cannot hold.
    pub(super) fn send(
        &mut self,
        write: impl FnOnce(&UnixStream) -> io::Result<()>,
    ) -> io::Result<()> {
        self.stream.set_nonblocking(false)?;
        let sent = write(&self.stream);
        self.stream.set_nonblocking(true)?;
        sent
    }

    /// For `poll`; `None` after the other end was closed.
    pub(super) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.is_open.then(|| self.stream.as_fd())
    }

    /// The reports that have come. Does not wait.
    pub(super) fn read(&mut self) -> Vec<StageReport> {
        let mut chunk = [0; CHUNK];
        while self.is_open {
            match self.stream.read(&mut chunk) {
                Ok(0) => self.is_open = false,
                Ok(count) => self.partial.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.is_open = false,
            }
        }
        let lines = std::iter::from_fn(|| take_line(&mut self.partial));
        lines
            .filter_map(|line| serde_json::from_slice(&line).ok())
            .collect()
    }
}
