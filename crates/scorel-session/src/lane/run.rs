use std::sync::Arc;

use scorel_proto::TurnId;

use super::{Job, Section};
use crate::SessionError;

impl Section<'_> {
    /// Starts the task of a turn whose first record is durable.
    pub(super) fn begin_turn(&mut self, turn_id: TurnId) {
        self.begin_job(Job::Turn(turn_id));
    }

    /// Starts the task of a job whose first record is durable.
    pub(super) fn begin_job(&mut self, job: Job) {
        let running = self.lane.job.begin(job);
        self.lane.shared.windows.job_begins(self.lane.id());
        // Drain sets its flag and then interrupts every job it finds. This fills the slot and then
        // reads the flag, so one of the two always sees the other.
        if self.lane.shared.is_parking() {
            running.park();
        } else if self.lane.shared.is_draining() {
            running.stop.interrupt();
        }
        self.announce();
        (self.lane.start_job)(Arc::clone(self.lane), running);
    }

    /// Commits the running job's outcome with `commit`.
    ///
    /// Must be followed by [`Section::job_closed`]. From here on cancels come too late: a client that
    /// cancels after it has seen the outcome cancels nothing. If the commit fails, the job can be
    /// cancelled again and still has to be closed.
    pub(crate) fn end_job(
        &mut self,
        commit: impl FnOnce(&mut Self) -> Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        self.lane.job.set_closing(true);
        let committed = commit(self);
        match committed {
            Ok(()) => self.lane.shared.windows.job_ends(self.lane.id()),
            Err(_) => self.lane.job.set_closing(false),
        }
        committed
    }

    /// Leaves the running job to the next daemon with `leave`, unless it was told to stop. Returns
    /// whether it was left; then no cancel is taken from here on.
    pub(crate) fn leave_job(
        &mut self,
        leave: impl FnOnce(&mut Self) -> Result<bool, SessionError>,
    ) -> Result<bool, SessionError> {
        self.lane.job.set_closing(true);
        let left = match self.lane.job.stop() {
            Some(_) => Ok(false),
            None => leave(self),
        };
        if !matches!(left, Ok(true)) {
            self.lane.job.set_closing(false);
        }
        left
    }

    /// Empties the slot of the job that has got its outcome, after the next one had its chance.
    pub(crate) fn job_closed(&self) {
        self.lane.job.closed();
    }
}
