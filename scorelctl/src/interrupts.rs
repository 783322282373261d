use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C as a stream. While this exists, the signal does not terminate the program.
#[derive(Debug)]
pub(crate) struct Interrupts {
    signal: Signal,
}

impl Interrupts {
    /// Installs the signal handler. Must be called inside a Tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            signal: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next Ctrl-C. Cancel safe.
    pub(crate) async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            // No more signals can come.
            std::future::pending::<()>().await;
        }
    }
}
