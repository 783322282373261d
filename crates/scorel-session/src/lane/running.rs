use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_proto::TurnId;
use tokio_util::sync::CancellationToken;

/// The turn that is running, outside the lane's critical section: cancelling never waits for it.
#[derive(Debug, Default)]
pub(crate) struct TurnSlot {
    running: Mutex<Option<RunningTurn>>,
}

/// A turn and the way to end it.
#[derive(Debug, Clone)]
pub(crate) struct RunningTurn {
    pub(crate) turn_id: TurnId,
    pub(crate) cancel: CancellationToken,
    interrupted: Arc<AtomicBool>,
}

impl RunningTurn {
    /// Ends the turn because the daemon stops, unless somebody has cancelled it.
    pub(crate) fn interrupt(&self) {
        if !self.cancel.is_cancelled() {
            self.interrupted.store(true, Ordering::Release);
            self.cancel.cancel();
        }
    }

    /// Whether the turn ends because the daemon stops.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }
}

impl TurnSlot {
    /// A turn begins.
    pub(crate) fn begin(&self, turn_id: TurnId) -> RunningTurn {
        let turn = RunningTurn {
            turn_id,
            cancel: CancellationToken::new(),
            interrupted: Arc::default(),
        };
        *self.slot() = Some(turn.clone());
        turn
    }

    /// The turn is about to have its outcome, or will never have one. Returns what ran.
    pub(crate) fn end(&self) -> Option<RunningTurn> {
        self.slot().take()
    }

    /// The outcome could not be written: what ran before is still to be closed.
    pub(crate) fn put_back(&self, turn: Option<RunningTurn>) {
        *self.slot() = turn;
    }

    /// Signals the running turn, if it is the one that is meant. Says whether it took the signal.
    pub(crate) fn cancel(&self, expected: Option<TurnId>) -> bool {
        match &*self.slot() {
            Some(turn) if expected.is_none_or(|id| id == turn.turn_id) => {
                turn.cancel.cancel();
                true
            }
            _ => false,
        }
    }

    /// Ends the running turn because the daemon stops.
    pub(crate) fn interrupt(&self) {
        if let Some(turn) = &*self.slot() {
            turn.interrupt();
        }
    }

    /// Whether the running turn has been cancelled.
    pub(crate) fn is_cancelling(&self) -> bool {
        self.slot()
            .as_ref()
            .is_some_and(|turn| turn.cancel.is_cancelled())
    }

    /// Whether a turn is running.
    pub(crate) fn is_running(&self) -> bool {
        self.slot().is_some()
    }

    fn slot(&self) -> MutexGuard<'_, Option<RunningTurn>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
