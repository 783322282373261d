use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;

use crate::Deadline;
use crate::at_terminal::at_terminal;

/// The time limit for what a test waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program takes Enter for a part of pasted text if it comes within 10 ms of it.
const KEYSTROKE: Duration = Duration::from_millis(20);

/// The rows above the screen that are kept.
const SCROLLBACK: usize = 10_000;

/// A terminal with a screen, as a person has it: what a program writes is interpreted, and its question for the
/// terminal's state is answered.
pub struct TerminalWindow {
    user: File,
    program: OwnedFd,
    child: Child,
    _deadline: Deadline,
    screen: vt100::Parser,
    written: Vec<u8>,
    answered: usize,
}

impl std::fmt::Debug for TerminalWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalWindow")
            .field("child", &self.child)
            .finish_non_exhaustive()
    }
}

impl TerminalWindow {
    /// Runs the command with this terminal as its controlling one, and with the variables of the command only.
    /// `None`, with a remark, where `setsid` is not installed.
    ///
    /// # Panics
    ///
    /// If there is no terminal, or the command has no directory.
    pub fn open(command: &Command, columns: u16, rows: u16) -> Option<Self> {
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let pty = openpty(Some(&size), None).expect("a terminal");
        let child = at_terminal(
            command,
            &pty.slave,
            &[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")],
        )?;
        Some(Self {
            _deadline: Deadline::of(&child),
            user: pty.master.into(),
            program: pty.slave,
            child,
            screen: vt100::Parser::new(cells(rows), cells(columns), SCROLLBACK),
            written: Vec::new(),
            answered: 0,
        })
    }

    /// Types keys, after what was typed before has been read.
    ///
    /// # Panics
    ///
    /// If the terminal has gone.
    pub fn types(&mut self, keys: &str) {
        // A person's keys come one by one; together, an Enter is a part of a paste.
        std::thread::sleep(KEYSTROKE);
        self.user.write_all(keys.as_bytes()).expect("written");
    }

    /// Types a text, waits until it is on the screen, and presses Enter.
    ///
    /// # Panics
    ///
    /// If the text does not appear.
    #[track_caller]
    pub fn says(&mut self, text: &str) {
        self.types(text);
        self.until(text);
        self.types("\r");
    }

    /// Waits until the screen shows a text.
    ///
    /// # Panics
    ///
    /// If it does not in time.
    #[track_caller]
    pub fn until(&mut self, text: &str) {
        self.until_it(&format!("it shows {text:?}"), |screen| {
            screen.contains(text)
        });
    }

    /// Waits until a text is gone from the screen.
    ///
    /// # Panics
    ///
    /// If it stays.
    #[track_caller]
    pub fn until_gone(&mut self, text: &str) {
        self.until_it(&format!("{text:?} is gone"), |screen| {
            !screen.contains(text)
        });
    }

    /// Waits until what is on the screen is as wanted.
    ///
    /// # Panics
    ///
    /// If it is not in time.
    #[track_caller]
    pub fn until_it(&mut self, wanted: &str, is_so: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so(&self.shown()) {
            assert!(
                Instant::now() < until && self.read(until - Instant::now()),
                "not so: {wanted}; the screen:\n{}",
                self.shown()
            );
        }
    }

    /// Reads what there is, and returns the screen's text.
    pub fn now(&mut self) -> String {
        while self.read(Duration::ZERO) {}
        self.shown()
    }

    /// The text on the screen.
    fn shown(&self) -> String {
        self.screen.screen().contents()
    }

    /// All rows, those above the screen too.
    pub fn all_rows(&mut self) -> Vec<String> {
        while self.read(Duration::ZERO) {}
        let columns = self.screen.screen().size().1.get();
        self.screen.screen_mut().set_scrollback(SCROLLBACK);
        let above = self.screen.screen().scrollback();
        let mut rows = Vec::new();
        for back in (1..=above).rev() {
            self.screen.screen_mut().set_scrollback(back);
            rows.extend(self.screen.screen().rows(0, columns).next());
        }
        self.screen.screen_mut().set_scrollback(0);
        rows.extend(self.screen.screen().rows(0, columns));
        rows
    }

    /// The bytes that the program has written.
    pub fn written(&self) -> &[u8] {
        &self.written
    }

    /// # Panics
    ///
    /// If the program has gone.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a pid"));
        kill(pid, signal).expect("signalled");
    }

    /// Waits for the program's end. The terminal must be as it was before.
    ///
    /// # Panics
    ///
    /// If it does not end, or leaves the terminal otherwise.
    #[track_caller]
    pub fn ended(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("waited") {
                break status;
            }
            // It may wait for its terminal.
            self.read(Duration::from_millis(50));
            assert!(
                Instant::now() < until,
                "it does not end; the screen:\n{}",
                self.shown()
            );
        };
        while self.read(Duration::ZERO) {}
        let settings = tcgetattr(&self.program).expect("a terminal");
        assert!(
            settings.local_flags.contains(LocalFlags::ECHO),
            "the terminal does not echo"
        );
        let screen = self.screen.screen();
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are bracketed");
        assert!(!screen.alternate_screen(), "the other screen is shown");
        status.code()
    }

    /// Reads once; `false` if nothing comes in time.
    fn read(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut polled = [PollFd::new(self.user.as_fd(), PollFlags::POLLIN)];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let left = u16::try_from(left.as_millis()).unwrap_or(u16::MAX);
            match poll(&mut polled, PollTimeout::from(left)) {
                Err(Errno::EINTR) => {}
                Ok(0) => return false,
                ready => {
                    ready.expect("polled");
                    break;
                }
            }
        }
        let mut bytes = [0; 4096];
        let length = self.user.read(&mut bytes).unwrap_or(0);
        self.written.extend_from_slice(&bytes[..length]);
        self.screen.process(&bytes[..length]);
        self.answer();
        length > 0
    }

    /// Answers the question for the terminal's state.
    fn answer(&mut self) {
        let question = b"\x1b[5n";
        let asked = self
            .written
            .windows(question.len())
            .filter(|bytes| bytes == question)
            .count();
        while self.answered < asked {
            self.answered += 1;
            // A program that has ended reads nothing.
            let _ = self.user.write_all(b"\x1b[0n");
        }
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

impl Drop for TerminalWindow {
    /// A test that failed leaves no program behind.
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
