//! The parent's side.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::conversion::Conversion;

/// The interval in which the caller is asked whether to go on, in milliseconds.
const INTERVAL: u16 = 50;

const CHUNK: usize = 64 * 1024;

/// A pipe that is ready takes that much without waiting (POSIX: at least 512 bytes, Linux: a page).
const PIPE_BUF: usize = nix::libc::PIPE_BUF;

/// The child process of one conversion, which ends with this value.
pub(crate) struct Converter<'a> {
    child: Child,
    goes_on: &'a mut dyn FnMut() -> bool,
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConverterError {
    #[error("the caller gave up")]
    Stopped,
    #[error(transparent)]
    Process(#[from] io::Error),
}

/// The end of a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildEnd {
    Success,
    Failure,
    TooMuchMemory,
    TooMuchTime,
}

impl<'a> Converter<'a> {
    /// Starts a conversion that goes on for as long as `goes_on` says so.
    pub(crate) fn start(
        conversion: Conversion,
        input: Stdio,
        goes_on: &'a mut dyn FnMut() -> bool,
    ) -> io::Result<Self> {
        let child = Command::new("/proc/self/exe")
            .arg(conversion.argument())
            .env_clear()
            .current_dir("/")
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { child, goes_on })
    }

    /// Writes the whole input. Blocks. The child reads all of it before it answers.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<(), ConverterError> {
        let mut pipe = self.child.stdin.take().ok_or_else(no_pipe)?;
        let mut rest = input;
        while !rest.is_empty() {
            self.wait_for(&pipe, PollFlags::POLLOUT)?;
            let part = &rest[..rest.len().min(PIPE_BUF)];
            match pipe.write(part) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It died; how says more.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads the output of the child, up to more than `max` bytes, and its end. Blocks.
    pub(crate) fn answer(mut self, max: usize) -> Result<(Vec<u8>, ChildEnd), ConverterError> {
        let mut output = self.child.stdout.take().ok_or_else(no_pipe)?;
        let mut answer = Vec::new();
        let mut chunk = vec![0; CHUNK];
        while answer.len() <= max {
            self.wait_for(&output, PollFlags::POLLIN)?;
            match output.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => answer.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        // One that writes on ends by the broken pipe.
        drop(output);
        Ok((answer, ChildEnd::of(self.child.wait()?)))
    }

    fn wait_for(&mut self, pipe: &impl AsFd, readiness: PollFlags) -> Result<(), ConverterError> {
        loop {
            if !(self.goes_on)() {
                return Err(ConverterError::Stopped);
            }
            let mut fds = [PollFd::new(pipe.as_fd(), readiness)];
            if poll(&mut fds, PollTimeout::from(INTERVAL)).is_ok_and(|count| count > 0) {
                return Ok(());
            }
        }
    }
}

impl Drop for Converter<'_> {
    fn drop(&mut self) {
        // Both fail if it was waited for.
        let _ignored: io::Result<()> = self.child.kill();
        let _ignored: io::Result<ExitStatus> = self.child.wait();
    }
}

impl ChildEnd {
    fn of(status: ExitStatus) -> Self {
        match status.signal() {
            None if status.success() => Self::Success,
            Some(nix::libc::SIGABRT) => Self::TooMuchMemory,
            Some(nix::libc::SIGXCPU | nix::libc::SIGKILL) => Self::TooMuchTime,
            _ => Self::Failure,
        }
    }
}

fn no_pipe() -> io::Error {
    io::Error::other("no pipe")
}
