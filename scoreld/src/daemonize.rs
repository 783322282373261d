//! `--daemonize`: forks into the background; the calling process waits on a pipe for readiness.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, Instant};

use daemonize::{Daemonize, Outcome};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::exit::DaemonExit;

/// How long the caller waits for the report. The daemon's own timeouts (claiming the home: 10 s) are
/// shorter, so this one only fires if it hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The report of success; a failure is an exit code byte and a message.
const READY: &[u8] = b"ready\n";

/// The process in which `daemonize` returns.
#[derive(Debug)]
pub(crate) enum Side {
    /// The calling process: print the text to stderr and exit with the code.
    Caller(DaemonExit, String),
    /// The daemon, which reports through the pipe.
    Daemon(ReadyPipe),
}

#[derive(Debug, thiserror::Error)]
#[error("cannot start in the background")]
pub(crate) struct DaemonizeError(#[source] Box<dyn std::error::Error + Send + Sync>);

/// The write end of the pipe to the waiting caller. Dropping it without a report means failure.
#[derive(Debug)]
pub(crate) struct ReadyPipe {
    writer: PipeWriter,
}

/// Forks into the background, with `dir` as working directory and `/dev/null` as standard streams.
/// Call it before a second thread exists: `fork` copies only the calling one.
///
/// In the caller it returns once the daemon has reported or exited.
pub(crate) fn daemonize(dir: &Path) -> Result<Side, DaemonizeError> {
    let (reader, writer) = io::pipe().map_err(|error| DaemonizeError(error.into()))?;
    let outcome = Daemonize::new()
        .working_directory(dir)
        .umask(0o077)
        .execute();
    match outcome {
        Outcome::Parent(Ok(_)) => {
            // With a second write end open, the pipe would not end when the daemon dies.
            drop(writer);
            let (exit, text) = wait(reader);
            Ok(Side::Caller(exit, text))
        }
        Outcome::Child(Ok(_)) => Ok(Side::Daemon(ReadyPipe { writer })),
        Outcome::Parent(Err(error)) | Outcome::Child(Err(error)) => {
            Err(DaemonizeError(error.into()))
        }
    }
}

impl ReadyPipe {
    /// This daemon, or another one, serves the home.
    pub(crate) fn ready(self) {
        self.report(READY);
    }

    /// The daemon exits with an error.
    pub(crate) fn failed(self, exit: DaemonExit, message: &str) {
        let mut report = vec![exit.code()];
        report.extend_from_slice(message.as_bytes());
        self.report(&report);
    }

    fn report(mut self, report: &[u8]) {
        // The caller may have been killed meanwhile.
        let _ignored: io::Result<()> = self.writer.write_all(report);
    }
}

fn wait(reader: PipeReader) -> (DaemonExit, String) {
    match read_report(reader) {
        Ok(report) if report == READY => (DaemonExit::Ok, String::new()),
        Ok(report) => failure(&report),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => (
            DaemonExit::Unavailable,
            "the daemon did not become ready in time".to_owned(),
        ),
        Err(error) => (
            DaemonExit::Io,
            format!("cannot read the report of the daemon: {error}"),
        ),
    }
}

fn failure(report: &[u8]) -> (DaemonExit, String) {
    let known = [
        DaemonExit::Usage,
        DaemonExit::Unavailable,
        DaemonExit::Software,
        DaemonExit::Io,
        DaemonExit::Config,
    ];
    let exit = report
        .first()
        .and_then(|code| known.into_iter().find(|exit| exit.code() == *code));
    match exit {
        Some(exit) => (exit, String::from_utf8_lossy(&report[1..]).into_owned()),
        None => (
            DaemonExit::Software,
            "the daemon ended before it was ready".to_owned(),
        ),
    }
}

fn read_report(reader: PipeReader) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + TIMEOUT;
    let mut pipe = File::from(std::os::fd::OwnedFd::from(reader));
    let mut report = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        wait_readable(&pipe, deadline)?;
        match pipe.read(&mut buffer)? {
            0 => return Ok(report),
            len => report.extend_from_slice(&buffer[..len]),
        }
    }
}

fn wait_readable(pipe: &File, deadline: Instant) -> io::Result<()> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let mut fds = [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, timeout) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => return Ok(()),
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(report: impl FnOnce(ReadyPipe)) -> (DaemonExit, String) {
        let (reader, writer) = io::pipe().unwrap();
        report(ReadyPipe { writer });
        wait(reader)
    }

    #[test]
    fn the_caller_gets_the_report_of_the_daemon() {
        assert_eq!(heard(ReadyPipe::ready), (DaemonExit::Ok, String::new()));
        let failed = |exit| heard(move |pipe| pipe.failed(exit, "no\nway"));
        for exit in [
            DaemonExit::Usage,
            DaemonExit::Unavailable,
            DaemonExit::Software,
            DaemonExit::Io,
            DaemonExit::Config,
        ] {
            assert_eq!(failed(exit), (exit, "no\nway".to_owned()));
        }
    }

    #[test]
    fn a_daemon_that_ends_without_a_report_has_failed() {
        let (exit, message) = heard(drop);
        assert_eq!(exit, DaemonExit::Software);
        assert!(!message.is_empty());
    }
}
