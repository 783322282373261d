//! The first SIGTERM or SIGINT asks for the daemon's end, the second ends the process at once. SIGHUP
//! is ignored: a terminal that closes says nothing about the sessions.

use std::io;
use std::process;

use scorel_host::{Shutdown, StopCause};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};

/// Begins to listen for signals, within a tokio runtime.
///
/// # Errors
/// The system refused to deliver signals.
pub(crate) fn listen(shutdown: Shutdown) -> io::Result<()> {
    let signals = Signals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
        hangup: signal(SignalKind::hangup())?,
    };
    tokio::spawn(obey(signals, shutdown));
    Ok(())
}

async fn obey(mut signals: Signals, shutdown: Shutdown) {
    shutdown.begin(signals.next().await);
    let second = signals.next().await;
    warn!(cause = ?second, "ended by a second signal");
    end_at_once(second);
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// The next signal that is not ignored.
    async fn next(&mut self) -> StopCause {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return StopCause::Terminate,
                _ = self.interrupt.recv() => return StopCause::Interrupt,
                _ = self.hangup.recv() => info!("SIGHUP ignored"),
            }
        }
    }
}

/// Ends the process as the signal would have, in the exit code that shells give it.
#[expect(
    clippy::exit,
    reason = "a user who asks twice does not want to wait for anything"
)]
fn end_at_once(cause: StopCause) -> ! {
    process::exit(match cause {
        StopCause::Interrupt => 130,
        StopCause::Terminate | StopCause::Request => 143,
    })
}

#[cfg(test)]
mod tests;
