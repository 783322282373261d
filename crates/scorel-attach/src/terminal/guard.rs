use std::io;
use std::panic;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use super::output::Output;

/// The modes over modes that are set, as far as is known.
const AGAIN: &[u8] = b"\x1b[<u\x1b[?2004h\x1b[?1004h\x1b[>1u";

/// The time in which a process that stops itself has stopped. Without job control it does not.
const STOPS: Duration = Duration::from_millis(200);

/// The terminal in raw mode. Dropped, or when the program panics, the terminal is as it was.
#[derive(Debug)]
pub struct TerminalGuard {
    output: Arc<Output>,
}

impl TerminalGuard {
    /// Sets the modes of the terminal on standard input and output.
    ///
    /// # Errors
    ///
    /// One of them is no terminal, or it is gone.
    pub fn new() -> io::Result<Self> {
        let output = Arc::new(Output::new()?);
        let guard = Self { output };
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
        self.output.set()
    }

    /// Sets the modes anew, for another program may have changed them without being asked. What this returns belongs
    /// before the next frame: a frame may be under way, and must not be interrupted.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub fn set_again(&self) -> io::Result<&'static [u8]> {
        self.output.set()?;
        Ok(AGAIN)
    }

    /// Makes the terminal as it was, for another program or for the end. The region must be closed before; the rest of a
    /// frame that the terminal has not taken is not written any more.
    pub fn restore(&self) {
        self.output.restore();
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

    pub(super) fn output(&self) -> Arc<Output> {
        Arc::clone(&self.output)
    }

    fn restore_at_panic(&self) {
        let output = Arc::downgrade(&self.output);
        let next = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if let Some(output) = output.upgrade() {
                output.restore();
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
