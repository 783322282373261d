use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;
use crate::failure::Failure;

/// Set once the command handles Ctrl-C by itself. Handlers of signals are the process's, too.
static IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// Ctrl-C as a stream. While this exists, the signal does not terminate the program.
#[derive(Debug)]
pub(crate) struct Interrupts {
    signal: Signal,
}

impl Interrupts {
    /// Installs the signal handler. Must be called inside a Tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let signal = signal(SignalKind::interrupt())?;
        IS_HANDLED.store(true, Ordering::Relaxed);
        Ok(Self { signal })
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
    pub(crate) async fn next(&mut self) -> SignalKind {
        let [interrupt, terminate, hangup, quit] = &mut self.signals;
        tokio::select! {
            Some(()) = interrupt.recv() => SignalKind::interrupt(),
            Some(()) = terminate.recv() => SignalKind::terminate(),
            Some(()) = hangup.recv() => SignalKind::hangup(),
            Some(()) = quit.recv() => SignalKind::quit(),
            else => std::future::pending().await,
        }
    }
}

/// Runs a command that has children in process groups of their own, such as ssh: a signal that ends the program drops
/// the command first, and with it the children. Ctrl-C does so unless the command handles it.
pub(crate) async fn unless_ended<T>(
    command: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let mut signals = EndSignals::listen()?;
    tokio::pin!(command);
    loop {
        let signal = tokio::select! {
            ended = &mut command => return ended,
            signal = signals.next() => signal,
        };
        if signal != SignalKind::interrupt() || !IS_HANDLED.load(Ordering::Relaxed) {
            return Err(interrupted());
        }
    }
}

/// The failure of a command that a signal has ended.
pub(crate) fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, "interrupted", "interrupted")
}
