use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use tracing::info;

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
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
}

impl Shutdown {
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
