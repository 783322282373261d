use std::io::{self, stdin, stdout};
use std::os::fd::AsFd;
use std::panic;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use nix::unistd::{Pid, write};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

/// Bracketed paste, focus events, and keys with their modifiers where the terminal knows them (kitty's protocol, of which
/// terminals keep a stack).
const BEGIN: &[u8] = b"\x1b[?2004h\x1b[?1004h\x1b[>1u";

/// The same over modes that are set, as far as is known.
const AGAIN: &[u8] = b"\x1b[<u\x1b[?2004h\x1b[?1004h\x1b[>1u";

/// First of all `CAN`, which ends a sequence of which only the beginning was written. The live region goes, as far as
/// it is at the cursor and below.
const END: &[u8] = b"\x18\x1b[?2026l\x1b[?7h\r\x1b[J\x1b[0m\x1b[?25h\x1b[<u\x1b[?1004l\x1b[?2004l";

/// A terminal that takes nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time in which a process that stops itself has stopped. Without job control it does not.
const STOPS: Duration = Duration::from_millis(200);

/// The terminal in raw mode. Dropped, or when the program panics, the terminal is as it was.
#[derive(Debug)]
pub struct TerminalGuard {
    modes: Arc<Mutex<Modes>>,
}

#[derive(Debug)]
struct Modes {
    before: Termios,
    is_set: bool,
}

impl TerminalGuard {
    /// Sets the modes of the terminal on standard input and output.
    ///
    /// # Errors
    ///
    /// One of them is no terminal, or it is gone.
    pub fn new() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let modes = Arc::new(Mutex::new(Modes {
            before,
            is_set: false,
        }));
        let guard = Self { modes };
        guard.set()?;
        guard.restore_at_panic();
        Ok(guard)
    }

    /// Sets the modes, again after [`restore`](Self::restore).
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub fn set(&self) -> io::Result<()> {
        match self.modes.lock() {
            Ok(mut modes) => modes.set(),
            Err(_) => Ok(()),
        }
    }

    /// Makes the terminal as it was, for another program or for the end. The region must be closed before.
    pub fn restore(&self) {
        restore(&self.modes);
    }

    /// Stops the process, as Ctrl+Z does. Returns when it goes on, with the modes set; then all has to be drawn again.
    ///
    /// # Errors
    ///
    /// The terminal is gone, or the process cannot handle signals.
    pub async fn suspend(&self) -> io::Result<()> {
        let mut continued = signal(SignalKind::from_raw(Signal::SIGCONT as i32))?;
        self.restore();
        // The whole group, which a script that runs this program belongs to.
        kill(Pid::from_raw(0), Signal::SIGTSTP)?;
        // The signal may reach another thread a little later. No one stops a group without a shell.
        let _ = timeout(STOPS, continued.recv()).await;
        self.set()
    }

    fn restore_at_panic(&self) {
        let modes = Arc::downgrade(&self.modes);
        let next = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if let Some(modes) = modes.upgrade() {
                restore(&modes);
            }
            next(panic);
        }));
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        self.restore();
    }
}

impl Modes {
    fn set(&mut self) -> io::Result<()> {
        let mut raw = self.before.clone();
        cfmakeraw(&mut raw);
        tcsetattr(stdin(), SetArg::TCSANOW, &raw)?;
        let was_set = std::mem::replace(&mut self.is_set, true);
        put(if was_set { AGAIN } else { BEGIN });
        Ok(())
    }

    fn restore(&mut self) {
        if std::mem::take(&mut self.is_set) {
            put(END);
            // A terminal that is gone needs nothing.
            let _ = tcsetattr(stdin(), SetArg::TCSANOW, &self.before);
        }
    }
}

/// Does nothing if the thread that panics is just setting or restoring the modes.
fn restore(modes: &Mutex<Modes>) {
    match modes.try_lock() {
        Ok(mut modes) => modes.restore(),
        Err(TryLockError::Poisoned(modes)) => modes.into_inner().restore(),
        Err(TryLockError::WouldBlock) => {}
    }
}

/// Writes to the terminal if it takes the bytes in time.
fn put(mut bytes: &[u8]) {
    let output = stdout();
    let until = Instant::now() + PATIENCE;
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let mut fds = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
        match poll(&mut fds, timeout) {
            Ok(1) => {}
            Err(nix::errno::Errno::EINTR) if !left.is_zero() => continue,
            _ => return,
        }
        match write(&output, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(nix::errno::Errno::EINTR | nix::errno::Errno::EAGAIN) => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::Command;

    use scorel_testkit::TerminalWindow;

    use super::TerminalGuard;

    /// Set in the process that panics.
    const PANICS: &str = "SCOREL_TEST_PANICS";

    #[test]
    fn after_a_panic_the_terminal_is_as_it_was() {
        if env::var_os(PANICS).is_some() {
            let guard = TerminalGuard::new().expect("a terminal");
            // Nothing is dropped where a panic aborts.
            std::mem::forget(guard);
            panic!("on purpose");
        }
        let mut command = Command::new(env::current_exe().expect("this program"));
        let name = "terminal::guard::tests::after_a_panic_the_terminal_is_as_it_was";
        command
            .args(["--exact", "--nocapture", name])
            .env(PANICS, "1")
            .current_dir("/");
        let Some(mut window) = TerminalWindow::open(&command, 80, 24) else {
            return;
        };
        window.until("on purpose");
        assert_eq!(window.ended(), Some(101));
        let written = String::from_utf8_lossy(window.written()).into_owned();
        assert!(written.contains("\x1b[?2004h"), "{written}");
    }
}
