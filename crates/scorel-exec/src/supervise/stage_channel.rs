//! The supervisor's end of the socket to the stage.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use crate::job::{NamespaceJob, StageJob, StageReport, write_job};

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
    /// Sends the jobs.
    pub(super) fn open(
        stream: UnixStream,
        namespaces: Option<&NamespaceJob>,
        job: &StageJob,
    ) -> io::Result<Self> {
        let sent = namespaces.map_or(Ok(()), |job| write_job(job, &stream));
        // Fails if the stage has ended already. Its exit code is reported.
        let _ignored: io::Result<()> = sent.and_then(|()| write_job(job, &stream));
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            partial: Vec::new(),
            is_open: true,
        })
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
        let mut reports = Vec::new();
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            reports.extend(serde_json::from_slice::<StageReport>(&line));
        }
        reports
    }
}
