use std::io::{self, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use nix::unistd::write;

/// Bracketed paste, focus events, and keys with their modifiers where the terminal knows them (kitty's protocol, of which
/// terminals keep a stack).
const BEGIN: &[u8] = b"\x1b[?2004h\x1b[?1004h\x1b[>1u";

/// First of all `CAN`, which ends a sequence of which only the beginning was written. The live region goes, as far as
/// it is at the cursor and below.
const END: &[u8] = b"\x18\x1b[?2026l\x1b[?7h\r\x1b[J\x1b[0m\x1b[?25h\x1b[<u\x1b[?1004l\x1b[?2004l";

/// A terminal that takes nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time after which a writer looks whether its turn is over.
const LOOK: Duration = Duration::from_millis(100);

/// A terminal takes at least as much at once after it says that it is writable.
const PIECE: usize = 256;

/// The terminal on standard input and output: its modes, and all that this program writes to it.
///
/// Both are under one lock. A frame that was not whole when the modes were restored is never written further, so that
/// nothing of it lands in what another program shows, or behind the sequences that restore the modes.
#[derive(Debug)]
pub(super) struct Output {
    modes: Mutex<Modes>,
}

#[derive(Debug)]
struct Modes {
    before: Termios,
    is_set: bool,
    turn: Turn,
}

/// One time in which the modes are set, or are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn(u64);

impl Output {
    /// Standard input and output with their modes as they are.
    ///
    /// # Errors
    ///
    /// One of them is no terminal, or it is gone.
    pub(super) fn new() -> io::Result<Self> {
        let modes = Modes {
            before: tcgetattr(stdin())?,
            is_set: false,
            turn: Turn(0),
        };
        Ok(Self {
            modes: Mutex::new(modes),
        })
    }

    /// Makes the terminal raw, and sets the modes that this program did not set yet.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub(super) fn set(&self) -> io::Result<()> {
        let mut modes = self.modes();
        let mut raw = modes.before.clone();
        cfmakeraw(&mut raw);
        tcsetattr(stdin(), SetArg::TCSANOW, &raw)?;
        if modes.change(true) {
            put(BEGIN);
        }
        Ok(())
    }

    /// Makes the terminal as it was. Does nothing if the thread that panics is just doing this.
    pub(super) fn restore(&self) {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.modes.try_lock() {
                Ok(mut modes) => return modes.restore(),
                Err(TryLockError::Poisoned(modes)) => return modes.into_inner().restore(),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// The turn to which a frame belongs that is made now.
    pub(super) fn turn(&self) -> Turn {
        self.modes().turn
    }

    /// Writes as many of the bytes as the terminal takes at once, none if it takes none for a while. `None` if their
    /// turn is over.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub(super) fn write(&self, turn: Turn, bytes: &[u8]) -> Result<Option<usize>, Errno> {
        let is_writable = is_writable(LOOK)?;
        let modes = self.modes();
        if !modes.is_set || modes.turn != turn {
            return Ok(None);
        }
        if !is_writable {
            return Ok(Some(0));
        }
        // No one else has written since in this turn, so this does not wait with the lock held.
        match write(stdout(), &bytes[..bytes.len().min(PIECE)]) {
            Err(Errno::EINTR | Errno::EAGAIN) => Ok(Some(0)),
            written => written.map(Some),
        }
    }

    fn modes(&self) -> MutexGuard<'_, Modes> {
        self.modes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Modes {
    /// Begins another turn; false if the modes are so already.
    fn change(&mut self, is_set: bool) -> bool {
        let is_other = self.is_set != is_set;
        self.is_set = is_set;
        self.turn.0 += u64::from(is_other);
        is_other
    }

    fn restore(&mut self) {
        if self.change(false) {
            put(END);
            // A terminal that is gone needs nothing.
            let _ = tcsetattr(stdin(), SetArg::TCSANOW, &self.before);
        }
    }
}

/// Waits until the terminal takes bytes; false if it does not in time.
fn is_writable(patience: Duration) -> Result<bool, Errno> {
    let output = stdout();
    let mut fds = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::ZERO);
    match poll(&mut fds, timeout) {
        Err(Errno::EINTR) => Ok(false),
        ready => ready.map(|count| count > 0),
    }
}

/// Writes to the terminal if it takes the bytes in time.
fn put(mut bytes: &[u8]) {
    let until = Instant::now() + PATIENCE;
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        match is_writable(left) {
            Ok(true) => {}
            Ok(false) if !left.is_zero() => continue,
            _ => return,
        }
        match write(stdout(), bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => return,
        }
    }
}
