//! What waits for a log that cannot be written at the moment.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{ClientId, QueueOp};

use super::{Lane, LaneState};
use crate::SessionError;

/// How soon writing is tried again.
const RETRY: Duration = Duration::from_secs(1);

impl Lane {
    /// Takes `step` in the lane's section, again and again while the log cannot be written, until
    /// the daemon stops.
    ///
    /// # Errors
    ///
    /// As `step`.
    pub(crate) async fn persist<R, F>(self: &Arc<Self>, step: F) -> Result<R, SessionError>
    where
        R: Send + 'static,
        F: Fn(&Arc<Self>, &mut LaneState) -> Result<R, SessionError> + Clone + Send + 'static,
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

    /// Takes `step` as soon as the log can be written.
    pub(crate) fn persist_later(
        self: &Arc<Self>,
        step: fn(&Arc<Self>, &mut LaneState) -> Result<(), SessionError>,
    ) {
        let lane = Arc::clone(self);
        self.shared.tasks.spawn(async move {
            if let Err(error) = lane.persist(step).await {
                tracing::error!(session = %lane.id(), %error, "the session does not go on");
            }
        });
    }

    /// Goes on with the queue if no turn is open; later, if the log cannot be written now.
    pub(crate) fn go_on(self: &Arc<Self>, state: &mut LaneState) {
        match self.advance(state) {
            Ok(()) => {}
            Err(SessionError::Stalled(_)) => self.persist_later(Self::advance),
            Err(error) => {
                tracing::error!(session = %self.id(), %error, "the queue does not go on");
            }
        }
    }

    fn advance(self: &Arc<Self>, state: &mut LaneState) -> Result<(), SessionError> {
        if state.view.state.turn.is_some() {
            return Ok(());
        }
        if state.lift_pause && state.view.state.queue.paused {
            self.update_queue(state, ClientId::Daemon, vec![QueueOp::Resume])?;
        }
        state.lift_pause = false;
        self.start_next(state)
    }
}
