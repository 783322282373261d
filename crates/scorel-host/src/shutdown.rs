use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use tracing::info;

/// What began the shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownCause {
    Terminate,
    Interrupt,
    /// The `shutdown` method.
    Request,
    /// The `shutdown` method with `park`.
    Park,
    /// There was nothing to do for `[service] idleExitSeconds`.
    Idle,
    /// Another socket has taken the place of the daemon's, such as that of a service manager's unit.
    SocketReplaced,
    /// The home, or the lock in it, was deleted or replaced.
    HomeLost,
}

impl ShutdownCause {
    /// Returns whether running turns are left to the next daemon, as after a restart, and not ended.
    pub const fn parks(self) -> bool {
        match self {
            Self::Terminate | Self::Park | Self::SocketReplaced => true,
            Self::Interrupt | Self::Request | Self::Idle | Self::HomeLost => false,
        }
    }
}

/// The daemon's shutdown, begun once by a signal or by the `shutdown` method.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    cause: Arc<OnceLock<ShutdownCause>>,
}

impl Shutdown {
    /// Begins the shutdown; later causes are ignored.
    pub fn begin(&self, cause: ShutdownCause) {
        if self.cause.set(cause).is_ok() {
            info!(?cause, "stopping");
            self.token.cancel();
        }
    }

    /// Cancelled when shutdown begins.
    pub const fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// The first cause; `None` before shutdown begins.
    pub fn cause(&self) -> Option<ShutdownCause> {
        self.cause.get().copied()
    }

    /// Waits until shutdown begins.
    pub async fn begun(&self) -> ShutdownCause {
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
        shutdown.begin(ShutdownCause::Request);
        shutdown.begin(ShutdownCause::Terminate);
        assert_eq!(waiting.await.unwrap(), ShutdownCause::Request);
        assert_eq!(shutdown.cause(), Some(ShutdownCause::Request));
    }
}
