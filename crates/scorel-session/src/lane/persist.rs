//! Steps that have to reach the log, however long it cannot be written.

use std::sync::Arc;
use std::time::Duration;

use super::{Lane, Section};
use crate::SessionError;

/// The interval between attempts.
const RETRY: Duration = Duration::from_secs(1);

impl Lane {
    /// Repeats `step` while the log cannot be written, until the daemon stops.
    ///
    /// For steps that are owed: the end of a turn, a question, its decision. A client's command gets
    /// the error instead and can be retried; but a turn whose outcome were dropped would block the
    /// session for ever.
    ///
    /// # Errors
    ///
    /// As `step`.
    pub(crate) async fn persist<R, F>(self: &Arc<Self>, step: F) -> Result<R, SessionError>
    where
        R: Send + 'static,
        F: Fn(&mut Section<'_>) -> Result<R, SessionError> + Clone + Send + 'static,
    {
        loop {
            let taken = self.section(step.clone()).await.and_then(|taken| taken);
            match taken {
                Err(SessionError::Stalled(reason)) if !self.shared.is_draining() => {
                    tracing::warn!(session = %self.id(), reason, "waiting for the log");
                    tokio::time::sleep(RETRY).await;
                }
                taken => return taken,
            }
        }
    }

    /// Runs `step` in the background as soon as the log can be written.
    pub(super) fn persist_later(
        self: &Arc<Self>,
        step: fn(&mut Section<'_>) -> Result<(), SessionError>,
    ) {
        let lane = Arc::clone(self);
        self.shared.tasks.spawn(async move {
            if let Err(error) = lane.persist(step).await {
                tracing::error!(session = %lane.id(), %error, "the session does not go on");
            }
        });
    }
}
