//! Named pipes, by which scripts tell where they are and wait for the test.

use std::path::Path;
use std::process::Command;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};
use tokio::time::timeout;

use crate::under_test::PATIENCE;

/// Both of its ends are open here, so that a script never waits for one of them, and does not see the
/// end of it.
pub(super) struct NamedPipe {
    receiver: Receiver,
    sender: Sender,
}

impl NamedPipe {
    pub(super) fn make(path: &Path) -> Self {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
        let mut both = OpenOptions::new();
        both.read_write(true);
        Self {
            receiver: both.open_receiver(path).unwrap(),
            sender: both.open_sender(path).unwrap(),
        }
    }

    /// Waits until a script has written.
    pub(super) async fn written(&mut self) {
        let mut byte = [0];
        let read = timeout(PATIENCE, self.receiver.read(&mut byte)).await;
        read.expect("a script writes in time").unwrap();
    }

    /// A line for a script that reads one.
    pub(super) async fn write_line(&mut self) {
        self.sender.write_all(b"go\n").await.unwrap();
    }
}
