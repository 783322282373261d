use std::io;
use std::process;
use std::sync::{Arc, OnceLock};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Why the daemon stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// SIGTERM.
    Terminate,
    /// SIGINT.
    Interrupt,
    /// A client asked for it.
    Request,
}

/// The daemon's end: asked for by a signal or a client, once.
///
/// The first SIGTERM or SIGINT asks for it, the second ends the process at once. SIGHUP is ignored:
/// a terminal that closes says nothing about the sessions.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
}

impl Shutdown {
    /// Begins to listen for signals, within a tokio runtime.
    ///
    /// # Errors
    /// The system refused to deliver signals.
    pub fn install() -> io::Result<Self> {
        let shutdown = Self::default();
        let signals = Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        };
        tokio::spawn(shutdown.clone().listen(signals));
        Ok(shutdown)
    }

    /// Asks for the end. Only the first cause counts.
    pub fn begin(&self, cause: StopCause) {
        if self.cause.set(cause).is_ok() {
            info!(?cause, "stopping");
            self.token.cancel();
        }
    }

    /// Cancelled when the end was asked for. Children of it end with it.
    #[must_use]
    pub const fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Why the daemon stops; `None` while it does not.
    #[must_use]
    pub fn cause(&self) -> Option<StopCause> {
        self.cause.get().copied()
    }

    /// Waits until the end was asked for.
    pub async fn begun(&self) -> StopCause {
        self.token.cancelled().await;
        self.cause()
            .expect("the cause is set before the token is cancelled")
    }

    async fn listen(self, mut signals: Signals) {
        self.begin(signals.next().await);
        let second = signals.next().await;
        warn!(cause = ?second, "ended by a second signal");
        end_at_once(second);
    }
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
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_cause_counts() {
        let shutdown = Shutdown::default();
        assert_eq!(shutdown.cause(), None);
        let waiting = tokio::spawn({
            let shutdown = shutdown.clone();
            async move { shutdown.begun().await }
        });
        shutdown.begin(StopCause::Request);
        shutdown.begin(StopCause::Terminate);
        assert_eq!(waiting.await.unwrap(), StopCause::Request);
        assert_eq!(shutdown.cause(), Some(StopCause::Request));
    }
}
