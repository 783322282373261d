use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;

use crate::Deadline;
use crate::at_terminal::at_terminal;

/// The time limit for the next output, in milliseconds.
const PATIENCE: u16 = 60_000;

/// A pseudo-terminal with a program in its foreground.
#[derive(Debug)]
pub struct Terminal {
    user: File,
    program: OwnedFd,
    child: Child,
    _deadline: Deadline,
    seen: String,
}

impl Terminal {
    /// Runs the command with this terminal as its controlling one. `None`, with a remark, where
    /// `setsid` is not installed.
    ///
    /// # Panics
    ///
    /// If there is no terminal, or the command has no directory.
    pub fn start(command: &Command) -> Option<Self> {
        let pty = openpty(None, None).expect("a terminal");
        let child = at_terminal(command, &pty.slave, &[])?;
        Some(Self {
            _deadline: Deadline::of(&child),
            user: pty.master.into(),
            program: pty.slave,
            child,
            seen: String::new(),
        })
    }

    /// Types keys, and waits until the terminal has them.
    ///
    /// # Panics
    ///
    /// If the terminal has gone.
    pub fn types(&mut self, keys: &str) {
        self.user.write_all(keys.as_bytes()).expect("written");
        // The kernel hands keys to the terminal later, on a busy machine after the program has ended and
        // restored the echo. A poll of the program's side waits for that.
        let mut polled = [PollFd::new(self.program.as_fd(), PollFlags::POLLIN)];
        poll(&mut polled, PollTimeout::ZERO).expect("polled");
    }

    /// # Panics
    ///
    /// If the program has gone.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a pid"));
        kill(pid, signal).expect("signalled");
    }

    /// Reads until the text was shown.
    ///
    /// # Panics
    ///
    /// If it is not shown in time.
    #[track_caller]
    pub fn until(&mut self, text: &str) {
        while !self.seen.contains(text) {
            assert!(self.read(PATIENCE), "not shown: {text}; but {}", self.seen);
        }
    }

    /// Reads until the text was shown once more than so far.
    ///
    /// # Panics
    ///
    /// If it is not shown in time.
    #[track_caller]
    pub fn until_again(&mut self, text: &str) {
        while self.read(0) {}
        let before = self.seen.matches(text).count();
        while self.seen.matches(text).count() == before {
            assert!(self.read(PATIENCE), "not shown: {text}; but {}", self.seen);
        }
    }

    /// Reads what there is, and returns whether the text was shown.
    pub fn shows(&mut self, text: &str) -> bool {
        while self.read(0) {}
        self.seen.contains(text)
    }

    /// All that was shown and read until now.
    pub fn shown(&self) -> &str {
        &self.seen
    }

    /// Returns whether the terminal echoes input.
    ///
    /// # Panics
    ///
    /// If the terminal has gone.
    pub fn echoes(&self) -> bool {
        let settings = tcgetattr(&self.program).expect("a terminal");
        settings.local_flags.contains(LocalFlags::ECHO)
    }

    /// Waits for the program's end: its exit code and all that was shown. The terminal must be as it
    /// was before.
    ///
    /// # Panics
    ///
    /// If it does not end, or leaves the terminal otherwise.
    #[track_caller]
    pub fn ended(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().expect("it ends");
        while self.read(0) {}
        assert!(self.echoes(), "the terminal does not echo: {}", self.seen);
        (status.code(), std::mem::take(&mut self.seen))
    }

    /// Reads what there is; `false` if nothing comes in time.
    fn read(&mut self, patience: u16) -> bool {
        let mut polled = [PollFd::new(self.user.as_fd(), PollFlags::POLLIN)];
        // The end of another test's child is a signal that may come while this thread waits.
        let ready = loop {
            match poll(&mut polled, PollTimeout::from(patience)) {
                Err(Errno::EINTR) => {}
                ready => break ready.expect("polled"),
            }
        };
        if ready == 0 {
            return false;
        }
        let mut bytes = [0; 4096];
        let length = self.user.read(&mut bytes).expect("read");
        self.seen
            .push_str(&String::from_utf8_lossy(&bytes[..length]));
        length > 0
    }
}

impl Drop for Terminal {
    /// A test that failed leaves no program behind.
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
