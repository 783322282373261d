use std::sync::Arc;

use scorel_proto::{ErrorChain, InFlight, Phase, Seq, Session, SessionView};
use tokio::sync::OwnedMutexGuard;

use super::fold::LogFold;
use super::open_report::{beyond_repair, log_report};
use super::state::LaneState;
use super::{Lane, turn_id};
use crate::SessionError;
use crate::damage::unaccepted_damage;

/// The lane's critical section: exclusive access to the state, with the lane.
///
/// Everything in it is synchronous. A section that has begun runs to its end even if its caller is
/// dropped, so a closed connection never leaves a change half made.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    pub(super) lane: &'a Arc<Lane>,
    pub(super) state: &'a mut LaneState,
}

/// The lane with its mutex held.
#[derive(Debug)]
pub(crate) struct LockedLane {
    lane: Arc<Lane>,
    state: OwnedMutexGuard<LaneState>,
}

impl LockedLane {
    pub(crate) fn section(&mut self) -> Section<'_> {
        Section {
            lane: &self.lane,
            state: &mut self.state,
        }
    }

    pub(crate) fn view(&self) -> &SessionView {
        &self.state.fold.view
    }
}

impl Lane {
    /// Runs `f` in the lane's critical section, on a blocking thread: appending syncs the file, and
    /// a disk may take seconds for that. On an async thread it would stop every connection.
    ///
    /// The mutex is fair, and its queue is joined when this future is first polled.
    pub(crate) async fn section<R: Send + 'static>(
        self: &Arc<Self>,
        f: impl FnOnce(&mut Section<'_>) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        // Locked here and not on the blocking thread: sections that wait must not use up threads.
        let mut locked = self.lock().await;
        let section = tokio::task::spawn_blocking(move || {
            let mut section = FailOnPanic(locked.section());
            section.0.reread_if_due();
            f(&mut section.0)
        });
        section
            .await
            .map_err(|error| SessionError::Internal(format!("a section failed: {error}")))
    }

    /// The lane's state, for work that never waits for the disk.
    pub(crate) async fn lock(self: &Arc<Self>) -> LockedLane {
        LockedLane {
            state: Arc::clone(&self.state).lock_owned().await,
            lane: Arc::clone(self),
        }
    }

    /// As [`Lane::lock`], for a lane that no other task can have yet.
    pub(super) fn lock_unshared(self: &Arc<Self>) -> LockedLane {
        let state = Arc::clone(&self.state).try_lock_owned();
        LockedLane {
            state: state.expect("a lane that is being loaded has one owner"),
            lane: Arc::clone(self),
        }
    }

    /// Reads from the fold.
    pub(crate) async fn view<R>(self: &Arc<Self>, read: impl FnOnce(&SessionView) -> R) -> R {
        read(self.lock().await.view())
    }
}

impl Section<'_> {
    pub(crate) const fn lane(&self) -> &Arc<Lane> {
        self.lane
    }

    pub(crate) const fn view(&self) -> &SessionView {
        &self.state.fold.view
    }

    pub(crate) fn phase(&self) -> Phase {
        self.lane.phase_of(self.state)
    }

    pub(crate) fn describe(&self) -> Session {
        self.lane.describe(self.state)
    }

    /// Updates listings and the host feed after a change that they show.
    pub(crate) fn announce(&self) {
        self.lane.announce(self.state);
    }

    pub(crate) fn check_exists(&self) -> Result<(), SessionError> {
        self.state.health.check_exists()
    }

    /// What is open right now: the end of a reload.
    pub(crate) fn in_flight(&self) -> InFlight {
        let view = self.view();
        InFlight {
            phase: self.phase(),
            turn_id: turn_id(self.state),
            open: view.open.clone(),
            queue: view.state.queue.clone(),
            permissions: view.state.permissions.clone(),
        }
    }

    /// The seq of the last record of the log.
    pub(crate) fn last_record(&self) -> Option<Seq> {
        self.state.fold.index.last().map(|place| place.seq)
    }

    /// Takes the session off the active list, unless it needs the daemon.
    ///
    /// In a section, so that no message is accepted between the check and the removal.
    pub(crate) fn leave_active_if_idle(&self) {
        let fold = &self.view().state;
        if fold.turn.is_none() && fold.queue.items.is_empty() && fold.permissions.is_empty() {
            self.lane.shared.active.leave(self.lane.id());
        }
    }

    /// Reads the log again from its start if a read found damage: the session becomes what loading
    /// it would make of it, and the damage has to be accepted. A running turn ends first.
    ///
    /// Every section begins with this. It touches the disk only when damage was found.
    pub(crate) fn reread_if_due(&mut self) {
        let health = &self.state.health;
        let due = self.lane.is_reread_due() && !self.lane.has_job();
        if !due || health.deleted || health.failed.is_some() {
            return;
        }
        self.lane.reread_begins();
        let mut fold = LogFold::default();
        match self.lane.reader.scan(&mut |record| fold.read(record)) {
            Ok(found) => {
                log_report(&found, self.lane.id());
                let health = &mut self.state.health;
                health.damage = unaccepted_damage(&found, &fold.view.state.accepted_damage);
                health.failed = beyond_repair(&found);
                self.state.fold = fold;
                self.lane.shared.windows.remove(self.lane.id());
            }
            Err(error) => self.state.health.failed = Some(ErrorChain(&error).to_string()),
        }
        self.announce();
    }
}

/// A panic may leave the state between two steps. Nothing may be built on that, so the session
/// fails until it is loaded again.
struct FailOnPanic<'a>(Section<'a>);

impl Drop for FailOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let defect = "a defect in the daemon; see its log";
            self.0.state.health.failed = Some(defect.to_owned());
        }
    }
}
