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

/// The signals that end a program, for one that has to tidy up first. While this exists, they do not
/// terminate it.
#[derive(Debug)]
pub(crate) struct EndSignals {
    signals: [Signal; 4],
}

impl EndSignals {
    /// Installs the signal handlers. Must be called inside a Tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            signals: [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::quit())?,
            ],
        })
    }

    /// Waits for the next one. Cancel safe.
    pub(crate) async fn next(&mut self) {
        let [interrupt, terminate, hangup, quit] = &mut self.signals;
        tokio::select! {
            Some(()) = interrupt.recv() => {}
            Some(()) = terminate.recv() => {}
            Some(()) = hangup.recv() => {}
            Some(()) = quit.recv() => {}
            else => std::future::pending().await,
        }
    }
}
