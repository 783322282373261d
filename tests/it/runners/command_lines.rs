//! The command lines of all processes of the machine, read again and again.

use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::processes;

/// Shorter than a program takes to start.
const PERIOD: Duration = Duration::from_millis(2);

pub(super) struct CommandLines {
    /// Its end is the thread's.
    stop: Sender<()>,
    thread: JoinHandle<BTreeSet<String>>,
}

impl CommandLines {
    /// Begins to read.
    pub(super) fn watch() -> Self {
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || {
            let mut seen = BTreeSet::new();
            while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                seen.extend(now());
            }
            seen
        });
        Self { stop, thread }
    }

    /// All that were seen.
    pub(super) fn end(self) -> BTreeSet<String> {
        drop(self.stop);
        self.thread.join().unwrap()
    }
}

fn now() -> impl Iterator<Item = String> {
    processes::all().filter_map(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    })
}
