use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Deadline;
use crate::at_terminal::at_terminal;

/// The time limit for what a test waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program takes Enter for a part of pasted text if it comes within 10 ms of it.
const KEYSTROKE: Duration = Duration::from_millis(20);

/// The time before Enter behind a text: on a busy machine a program that does not run for these 10 ms cannot see that
/// nothing came in them.
const PAUSE: Duration = Duration::from_millis(100);

/// The bytes of a paste that a terminal hands over at once.
const PIECE: usize = 1024;

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
    /// Each size, with the number of bytes that were written before.
    sizes: Vec<(usize, (u16, u16))>,
    /// The bytes in which questions were looked for.
    searched: usize,
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
        let (user, program) = terminal().expect("a terminal");
        set_size(&program, columns, rows);
        let child = at_terminal(
            command,
            &program,
            &[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")],
        )?;
        Some(Self {
            _deadline: Deadline::of(&child),
            user,
            program,
            child,
            screen: vt100::Parser::new(cells(rows), cells(columns), SCROLLBACK),
            written: Vec::new(),
            sizes: vec![(0, (columns, rows))],
            searched: 0,
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

    /// Hands over bytes as a terminal does with a paste, while it shows what the program writes.
    ///
    /// # Panics
    ///
    /// If the terminal has gone.
    pub fn pastes(&mut self, bytes: &[u8]) {
        std::thread::sleep(KEYSTROKE);
        for piece in bytes.chunks(PIECE) {
            self.user.write_all(piece).expect("written");
            while self.read(Duration::ZERO) {}
        }
    }

    /// Gives the window another size. What was written before is shown in the old one.
    ///
    /// # Panics
    ///
    /// If the terminal has gone.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        while self.read(Duration::ZERO) {}
        self.sizes.push((self.written.len(), (columns, rows)));
        self.screen.set_size(cells(rows), cells(columns));
        set_size(&self.user, columns, rows);
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
        std::thread::sleep(PAUSE);
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

    /// Columns and rows of each size so far, with the number of bytes that the program had written before.
    pub fn sizes(&self) -> &[(usize, (u16, u16))] {
        &self.sizes
    }

    /// Reads at most so many bytes of what there is, as a slow terminal does, and returns the screen's text.
    pub fn reads(&mut self, bytes: usize) -> String {
        self.read_at_most(bytes, Duration::ZERO);
        self.shown()
    }

    /// The terminal's settings, in the words of `stty`.
    ///
    /// # Panics
    ///
    /// If `stty` cannot be run.
    pub fn settings(&self) -> String {
        let terminal = self.program.try_clone().expect("a descriptor");
        let output = Command::new("stty").arg("-a").stdin(terminal).output();
        let output = output.expect("stty runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The id of the program's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the window, so that the program has no terminal any more. Returns its exit code.
    ///
    /// # Panics
    ///
    /// If the program cannot be waited for.
    pub fn closes(mut self) -> Option<i32> {
        self.user = File::open("/dev/null").expect("a file");
        self.child.wait().expect("waited").code()
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
        self.read_at_most(4096, patience)
    }

    fn read_at_most(&mut self, most: usize, patience: Duration) -> bool {
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
        let most = most.min(bytes.len());
        let length = self.user.read(&mut bytes[..most]).unwrap_or(0);
        self.written.extend_from_slice(&bytes[..length]);
        self.screen.process(&bytes[..length]);
        self.answer();
        length > 0
    }

    /// Answers the questions for the terminal's state.
    fn answer(&mut self) {
        let question = b"\x1b[5n";
        // One may have begun in what was read before.
        let from = self.searched.saturating_sub(question.len() - 1);
        self.searched = self.written.len();
        let asked = self.written[from..]
            .windows(question.len())
            .filter(|bytes| bytes == question)
            .count();
        for _ in 0..asked {
            // A program that has ended reads nothing.
            let _ = self.user.write_all(b"\x1b[0n");
        }
    }
}

/// Both ends of a terminal. No child inherits the user's: as long as one has it, the terminal is not gone.
fn terminal() -> io::Result<(File, OwnedFd)> {
    let user = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC)?;
    grantpt(&user)?;
    unlockpt(&user)?;
    let program = File::options()
        .read(true)
        .write(true)
        .custom_flags(OFlag::O_NOCTTY.bits())
        .open(ptsname_r(&user)?)?;
    let user: OwnedFd = user.into();
    Ok((user.into(), program.into()))
}

fn set_size(terminal: impl AsFd, columns: u16, rows: u16) {
    let size = Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).expect("a terminal");
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
