use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The times that the user presses Ctrl-C. While this exists, none of them ends the program.
#[derive(Debug)]
pub(crate) struct Interrupts {
    signal: Signal,
}

impl Interrupts {
    /// Listens from now on. Must be called inside a Tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            signal: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one. Safe to cancel.
    pub(crate) async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            // No more signals can come.
            std::future::pending::<()>().await;
        }
    }
}
