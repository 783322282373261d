use scorel_engine::{StopCause, StopSignal};
use scorel_proto::{CompactionId, EventId, TurnId};

use crate::locks::Leaf;

/// The name of a job in the records of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobName {
    Turn(TurnId),
    /// A summary that a client asked for.
    Compaction(CompactionId),
    /// The record that files get an earlier state.
    Restore(EventId),
}

impl JobName {
    pub(super) const fn turn(self) -> Option<TurnId> {
        match self {
            Self::Turn(turn_id) => Some(turn_id),
            Self::Compaction(_) | Self::Restore(_) => None,
        }
    }
}

/// A job whose task runs or is about to, with the signal that stops it.
#[derive(Debug, Clone)]
struct RunningJob {
    name: JobName,
    stop: StopSignal,
}

/// The job of a session.
///
/// It has a mutex of its own, outside the lane's: `cancel` must reach a running turn while a section
/// waits for a slow disk. Sections take this mutex while they hold the lane's, never the other way
/// round, and it is held for these few lines only.
#[derive(Debug, Default)]
pub(super) struct JobSlot {
    slot: Leaf<OccupiedSlot>,
}

#[derive(Debug, Default)]
struct OccupiedSlot {
    running: Option<RunningJob>,
    /// The job's outcome is being written. Its stop still counts for the phase, but a cancel comes
    /// too late for it.
    closing: bool,
}

impl JobSlot {
    /// Fills the slot, unless the job has it already. Returns the signal that stops the job.
    pub(super) fn begin(&self, name: JobName) -> StopSignal {
        let mut slot = self.slot.lock();
        let begun = slot.running.as_ref().filter(|_| !slot.closing);
        if let Some(begun) = begun.filter(|begun| begun.name == name) {
            return begun.stop.clone();
        }
        let stop = StopSignal::new();
        let running = Some(RunningJob {
            name,
            stop: stop.clone(),
        });
        *slot = OccupiedSlot {
            running,
            closing: false,
        };
        stop
    }

    /// Empties the slot: the job has its outcome, or never will.
    pub(super) fn end(&self) {
        *self.slot.lock() = OccupiedSlot::default();
    }

    /// The job's outcome is about to be written, or could not be.
    pub(super) fn set_closing(&self, closing: bool) {
        self.slot.lock().closing = closing;
    }

    /// Signals the running job, if it is the expected turn or none is expected. Returns the job that
    /// took the signal.
    pub(super) fn cancel(&self, expected: Option<TurnId>) -> Option<JobName> {
        let slot = self.slot.lock();
        let running = slot.running.as_ref().filter(|_| !slot.closing)?;
        if expected.is_some() && running.name.turn() != expected {
            return None;
        }
        // The daemon stops: the first cause counts, and the next daemon may go on with what waits.
        if running.stop.cause() == Some(StopCause::Interrupted) {
            return None;
        }
        running.stop.cancel();
        Some(running.name)
    }

    /// Asks the running job to park, if it is a turn: other jobs have no step boundaries.
    pub(super) fn park(&self) {
        if let Some(running) = &self.slot.lock().running
            && running.name.turn().is_some()
        {
            running.stop.park();
        }
    }

    /// Ends the running job because the daemon stops.
    pub(super) fn interrupt(&self) {
        if let Some(running) = &self.slot.lock().running {
            running.stop.interrupt();
        }
    }

    /// The reason why the running job has to end, once it has to.
    pub(super) fn stop(&self) -> Option<StopCause> {
        let slot = self.slot.lock();
        slot.running
            .as_ref()
            .and_then(|running| running.stop.cause())
    }

    pub(super) fn is_closing(&self) -> bool {
        self.slot.lock().closing
    }

    /// Empties the slot of a job that is closing, unless the next one has begun.
    pub(super) fn closed(&self) {
        let mut slot = self.slot.lock();
        if slot.closing {
            *slot = OccupiedSlot::default();
        }
    }

    /// Returns whether there is a job, also one whose outcome is being written.
    pub(super) fn is_occupied(&self) -> bool {
        self.slot.lock().running.is_some()
    }

    pub(super) fn is_running(&self) -> bool {
        let slot = self.slot.lock();
        slot.running.is_some() && !slot.closing
    }
}
