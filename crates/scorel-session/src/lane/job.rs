use std::sync::{Mutex, MutexGuard, PoisonError};

use scorel_proto::TurnId;
use scorel_runtime::{StopCause, StopSignal};

/// What a session can be busy with. It runs at most one job at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Turn(TurnId),
}

/// A job whose task runs or is about to, with the signal that stops it.
#[derive(Debug, Clone)]
pub(crate) struct RunningJob {
    pub(crate) job: Job,
    pub(crate) stop: StopSignal,
}

/// The job of a session.
///
/// It has a mutex of its own, outside the lane's: `cancel` must reach a running turn while a section
/// waits for a slow disk. Sections take this mutex while they hold the lane's, never the other way
/// round, and it is held for these few lines only.
#[derive(Debug, Default)]
pub(super) struct JobSlot {
    running: Mutex<Option<RunningJob>>,
}

impl JobSlot {
    pub(super) fn begin(&self, job: Job) -> RunningJob {
        let running = RunningJob {
            job,
            stop: StopSignal::new(),
        };
        *self.slot() = Some(running.clone());
        running
    }

    /// Empties the slot: the job is about to get its outcome, or never will.
    pub(super) fn end(&self) -> Option<RunningJob> {
        self.slot().take()
    }

    /// Undoes [`JobSlot::end`] after the outcome could not be written.
    pub(super) fn put_back(&self, running: Option<RunningJob>) {
        *self.slot() = running;
    }

    /// Signals the running turn, if it is the expected one. Returns the turn that took the signal.
    pub(super) fn cancel(&self, expected: Option<TurnId>) -> Option<TurnId> {
        let slot = self.slot();
        let running = slot.as_ref()?;
        let Job::Turn(turn_id) = running.job;
        if expected.is_some_and(|id| id != turn_id) {
            return None;
        }
        running.stop.cancel();
        Some(turn_id)
    }

    /// Ends the running job because the daemon stops.
    pub(super) fn interrupt(&self) {
        if let Some(running) = &*self.slot() {
            running.stop.interrupt();
        }
    }

    /// Why the running job has to end, once it has to.
    pub(super) fn stop(&self) -> Option<StopCause> {
        self.slot()
            .as_ref()
            .and_then(|running| running.stop.cause())
    }

    pub(super) fn is_running(&self) -> bool {
        self.slot().is_some()
    }

    fn slot(&self) -> MutexGuard<'_, Option<RunningJob>> {
        // A panic cannot leave the slot half written: every access is one assignment or one read.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
