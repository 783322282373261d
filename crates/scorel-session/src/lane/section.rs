use std::fmt;
use std::sync::Arc;

use scorel_proto::ErrorChain;
use tokio::sync::OwnedMutexGuard;

use super::fold::LogFold;
use super::open_report::{beyond_repair, log_report};
use super::state::LaneState;
use super::{Lane, Section};
use crate::SessionError;
use crate::damage::unaccepted_damage;

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

    fn run<R>(mut self, f: impl FnOnce(&mut Section<'_>) -> R) -> R {
        let mut section = FailOnPanic(self.section());
        section.0.reread_if_due();
        f(&mut section.0)
    }
}

fn failed(error: &dyn fmt::Display) -> SessionError {
    SessionError::Internal(format!("a section failed: {error}"))
}

impl Lane {
    /// Runs `f` in the lane's critical section, on a blocking thread: appending syncs the file, and
    /// a disk may take seconds for that. On an async thread it would stop every connection.
    ///
    /// The mutex is fair, and its queue is joined when this future is first polled.
    ///
    /// # Errors
    ///
    /// [`SessionError::Internal`] if `f` panics; the session has failed then.
    pub async fn section<R: Send + 'static>(
        self: &Arc<Self>,
        f: impl FnOnce(&mut Section<'_>) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        // Locked here and not on the blocking thread: sections that wait must not use up threads.
        let locked = self.lock().await;
        let section = scorel_engine::spawn_blocking(move || locked.run(f));
        section.await.map_err(|error| failed(&error))
    }

    /// As [`Lane::section`], on the thread of the caller, whose task does nothing else meanwhile.
    pub(super) async fn section_in_place<R: Send + 'static>(
        self: &Arc<Self>,
        f: impl FnOnce(&mut Section<'_>) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        let locked = self.lock().await;
        let section = scorel_engine::run_in_place(move || locked.run(f));
        section.await.map_err(|error| failed(&error))
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
}

impl Section<'_> {
    pub const fn lane(&self) -> &Arc<Lane> {
        self.lane
    }

    /// Checks whether the session can be changed.
    ///
    /// # Errors
    ///
    /// The session is gone, damaged or failed, or its recovery waits for the log.
    pub fn check_usable(&self) -> Result<(), SessionError> {
        self.published().state().health.check_usable()
    }

    /// Updates listings and the host feed after a change that they show. In a section, so that the
    /// order of announcements is that of the changes.
    pub fn announce(&mut self) {
        let published = self.published();
        // A late announcement would bring a deleted session back into the listings.
        if published.state().health.deleted {
            return;
        }
        let session = published.describe();
        drop(published);
        let summarised = self.summarised_bytes();
        self.lane.shared.session_changed(session, summarised);
        self.announce_questions();
    }

    /// As [`Section::announce`], unless listings cover the whole log.
    pub(crate) fn announce_if_outdated(&mut self) {
        let (lane, summarised) = (self.lane, self.summarised_bytes());
        if lane.shared.catalog.is_outdated(lane.id(), summarised) {
            self.announce();
        }
    }

    /// The length of the log that a summary of now covers. That of a newer version's log is marked as
    /// incomplete, so that every daemon reads the log again: the next one may understand more of it.
    fn summarised_bytes(&self) -> Option<u64> {
        let is_ours = self.lane.header.problem().is_none();
        is_ours.then(|| self.state.lost.unwrap_or(self.state.log.end()))
    }

    /// Takes the session off the active list, unless it needs the daemon.
    ///
    /// In a section, so that no message is accepted between the check and the removal.
    pub(crate) fn leave_active_if_idle(&self) {
        let view = self.view();
        let fold = &view.state;
        let is_at_rest =
            !fold.has_job() && fold.queue.items.is_empty() && fold.permissions.is_empty();
        let mut features = self.lane.seams.features.iter();
        if is_at_rest && features.all(|feature| feature.is_settled(fold)) {
            self.lane.shared.active.leave(self.lane.id());
        }
    }

    /// Reads the log again from its start if a read found damage: the session becomes what loading
    /// it would make of it, and the damage has to be accepted. A running turn ends first.
    ///
    /// Every section begins with this. It touches the disk only when damage was found.
    pub(crate) fn reread_if_due(&mut self) {
        if !self.lane.is_reread_due() || self.lane.has_job() {
            return;
        }
        let published = self.published();
        let health = &published.state().health;
        if health.deleted || health.failed.is_some() {
            return;
        }
        drop(published);
        self.lane.reread_begins();
        let mut fold = LogFold::default();
        let end = self.state.log.end();
        match self.lane.reader.scan(&mut |record| fold.read(record)) {
            Ok(found) => {
                log_report(&found, self.lane.id());
                self.publish_change(|state| {
                    let accepted = &fold.view.state.accepted_damage;
                    // A lost end is not in the log, so reading it does not find that.
                    let mut damage = unaccepted_damage(&found, accepted);
                    damage.extend(
                        state
                            .health
                            .damage
                            .extract_if(.., |place| place.offset >= end),
                    );
                    state.health.damage = damage;
                    state.health.failed = beyond_repair(&found);
                    state.fold = fold;
                });
                self.lane.shared.windows.remove(self.lane.id());
            }
            Err(error) => self.fail(ErrorChain(&error).to_string()),
        }
        self.announce();
    }

    /// Nothing can be changed any more until the session is loaded again.
    pub(super) fn fail(&mut self, reason: String) {
        self.publish_change(|state| state.health.failed = Some(reason));
    }
}

/// A panic may leave the state between two steps. Nothing may be built on that, so the session
/// fails until it is loaded again.
struct FailOnPanic<'a>(Section<'a>);

impl Drop for FailOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let defect = "a defect in the daemon; see its log";
            self.0.fail(defect.to_owned());
        }
    }
}
