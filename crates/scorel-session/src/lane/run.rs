use std::sync::Arc;

use scorel_proto::TurnId;

use super::{Job, Lane, Section};
use crate::SessionError;

impl Section<'_> {
    /// Starts the task of a turn whose first record is durable.
    pub(super) fn begin_turn(&mut self, turn_id: TurnId) {
        self.begin_job((self.lane.seams.turn_job)(turn_id));
    }

    /// Starts a job whose first record is durable. The session has none, and is on the active list since
    /// before that record: see [`Section::enter_active`].
    pub fn begin_job(&mut self, job: Box<dyn Job>) {
        let lane = self.lane;
        let stop = lane.job.begin(job.name());
        lane.shared.windows.job_begins(lane.id());
        // Drain sets its flag and then interrupts every job it finds. This fills the slot and then
        // reads the flag, so one of the two always sees the other.
        if lane.shared.is_parking() {
            lane.job.park();
        } else if lane.shared.is_draining() {
            stop.interrupt();
        }
        self.announce();
        lane.shared.tasks.spawn(job.run(Arc::clone(lane), stop));
    }

    /// Commits the end of the running job with `commit`, and goes on with the queue.
    ///
    /// One section: no client may see the end while the first message of the queue has not started, or it
    /// would take the session for idle. From the commit on cancels come too late: a client that cancels after
    /// it has seen the end cancels nothing.
    ///
    /// # Errors
    ///
    /// As `commit`. The job can be cancelled again, and still has to be closed.
    pub fn close_job(
        &mut self,
        commit: impl FnOnce(&mut Self) -> Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        let lane = self.lane;
        lane.job.set_closing(true);
        if let Err(error) = commit(self) {
            lane.job.set_closing(false);
            return Err(error);
        }
        lane.shared.windows.job_ends(lane.id());
        self.go_on();
        // The next job of the queue may have the slot by now.
        lane.job.closed();
        lane.job_ended.notify_waiters();
        self.announce();
        self.checkpoint_if_due();
        Ok(())
    }

    /// Signals the running job to stop, as a client's cancel does.
    pub(crate) fn cancel_job(&mut self) {
        self.lane.job.cancel(None);
        self.announce();
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
}

/// The running job, as seen from outside a section.
impl Lane {
    /// Returns whether there is a job, also one whose outcome is being written.
    pub(crate) fn is_occupied(&self) -> bool {
        self.job.is_occupied()
    }

    pub(crate) fn has_job(&self) -> bool {
        self.job.is_running()
    }

    /// Gives up the job without an outcome: the next daemon continues it, or the log is lost.
    pub fn abandon_job(&self) {
        self.job.end();
        self.shared.windows.job_ends(self.id());
        self.job_ended.notify_waiters();
    }

    /// Asks the running turn to stop at its next step boundary, for the next daemon.
    pub(crate) fn park(&self) {
        self.job.park();
    }

    /// Ends the running job because the daemon stops.
    pub(crate) fn interrupt(&self) {
        self.job.interrupt();
    }
}
