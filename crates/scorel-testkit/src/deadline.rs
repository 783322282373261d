use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Generous, since CI machines are busy.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Kills a process that has not ended in time: a test that waits for it in vain fails, and does not
/// hang. To be dropped once the process was waited for.
#[derive(Debug)]
pub struct Deadline {
    /// Its end ends the thread that waits.
    _waited_for: Sender<()>,
}

impl Deadline {
    /// # Panics
    ///
    /// If the process was waited for already.
    pub fn of(child: &Child) -> Self {
        let pid = Pid::from_raw(child.id().try_into().expect("a pid"));
        let (waited_for, ends) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            if ends.recv_timeout(TIME_LIMIT) == Err(RecvTimeoutError::Timeout) {
                // It may have ended by itself just now.
                let _gone: nix::Result<()> = kill(pid, Signal::SIGKILL);
            }
        });
        Self {
            _waited_for: waited_for,
        }
    }

    /// Runs a program to its end, as [`Command::output`] does.
    ///
    /// # Errors
    ///
    /// If the program cannot be started or its output cannot be read.
    pub fn output(command: &mut Command) -> io::Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.stdin(Stdio::null()).spawn()?;
        let _deadline = Self::of(&child);
        child.wait_with_output()
    }
}
