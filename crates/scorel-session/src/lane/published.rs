//! Reading a session while a record of it is being synced.

use std::ops::Deref;
use std::sync::RwLockReadGuard;

use scorel_journal::RecordPosition;
use scorel_proto::{
    ActiveSession, InFlight, OpenTurn, Phase, Seq, Session, SessionView, StorageStall, TurnId,
};

use super::state::PublishedState;
use super::{Lane, Section};
use crate::SessionError;
use crate::locks::Held;
use crate::phase::phase;

/// The published state of a lane, at one moment: fold and feed agree, since records and transient
/// events are folded and published in one step.
///
/// While it is held, the state is read through it: a second one, also of another lane, panics. See
/// `locks`.
#[derive(Debug)]
pub struct PublishedLane<'a> {
    pub(super) lane: &'a Lane,
    state: Held<RwLockReadGuard<'a, PublishedState>>,
}

/// The fold of a [`PublishedLane`].
#[derive(Debug)]
pub struct PublishedView<'a>(PublishedLane<'a>);

impl Deref for PublishedView<'_> {
    type Target = SessionView;

    fn deref(&self) -> &SessionView {
        self.0.view()
    }
}

impl Lane {
    /// The state of this moment.
    #[track_caller]
    pub fn published(&self) -> PublishedLane<'_> {
        PublishedLane {
            lane: self,
            state: self.published.read(),
        }
    }

    /// Reads from the fold.
    pub fn view<R>(&self, read: impl FnOnce(&SessionView) -> R) -> R {
        read(self.published().view())
    }
}

impl Section<'_> {
    /// Borrows the section, so that nothing can be changed meanwhile: a change would wait for this
    /// read for ever.
    pub fn published(&self) -> PublishedLane<'_> {
        self.lane.published()
    }

    /// The fold, up to the last commit of this section.
    pub fn view(&self) -> PublishedView<'_> {
        PublishedView(self.published())
    }

    /// Changes the published state. The only way to do so; the lane's mutex makes sure that there is
    /// one such change at a time.
    pub(super) fn publish_change<R>(&mut self, change: impl FnOnce(&mut PublishedState) -> R) -> R {
        let lane: &Lane = self.lane;
        change(&mut lane.published.write())
    }
}

impl PublishedLane<'_> {
    pub(crate) fn check_exists(&self) -> Result<(), SessionError> {
        self.state.health.check_exists()
    }

    /// Returns whether it is opened for reading only because daemons have died of its recovery.
    pub(crate) fn is_given_up(&self) -> bool {
        self.state.health.given_up
    }

    /// Everything that is folded from the records.
    pub fn view(&self) -> &SessionView {
        &self.state.fold.view
    }

    pub(super) fn state(&self) -> &PublishedState {
        &self.state
    }

    pub(crate) fn turn_id(&self) -> Option<TurnId> {
        self.view().state.turn_id()
    }

    /// The phase, as clients see it.
    pub fn phase(&self) -> Phase {
        let (health, fold) = (&self.state.health, &self.view().state);
        let waits = !fold.queue.items.is_empty() && !fold.queue.paused;
        // The next turn's first record is being written: the session is not idle in between.
        if self.lane.job.is_closing() && !fold.has_job() && waits && !health.is_failed() {
            return Phase::Preparing;
        }
        phase(health.is_failed(), self.lane.job.stop(), fold)
    }

    pub(crate) fn describe(&self) -> Session {
        let mut session = self.lane.header.describe(self.view());
        session.phase = self.phase();
        session.turn_id = self.turn_id();
        session.current_seq = self.head();
        session.problem = self.problem();
        session.storage_stalled = self.storage_stall();
        session
    }

    pub(crate) fn active(&self) -> ActiveSession {
        ActiveSession {
            session_id: self.lane.id(),
            phase: self.phase(),
            turn_id: self.turn_id(),
            problem: self.problem(),
            storage_stalled: self.storage_stall(),
        }
    }

    fn problem(&self) -> Option<String> {
        let problem = self.state.health.problem();
        problem.or_else(|| self.lane.waits.lock().clone())
    }

    pub(super) fn storage_stall(&self) -> Option<StorageStall> {
        let stalled = self.state.health.stalled.as_ref();
        stalled.map(|(_, stall)| stall.clone())
    }

    /// The in-flight state right now: the end of a reload.
    pub(crate) fn in_flight(&self) -> InFlight {
        let view = self.view();
        InFlight {
            phase: self.phase(),
            turn_id: self.turn_id(),
            open: view.open.clone(),
            queue: view.state.queue.clone(),
            permissions: view.state.permissions.clone(),
        }
    }

    /// The seq of the last published event.
    pub(crate) fn head(&self) -> Seq {
        self.lane.head()
    }

    /// Returns whether the ring holds every event after `seq`.
    pub(crate) fn ring_covers(&self, seq: Seq) -> bool {
        self.lane.feed.covers(seq)
    }

    /// The positions of the records after `seq`.
    pub(crate) fn places_after(&self, seq: Seq) -> &[RecordPosition] {
        self.state.fold.index.after(seq)
    }

    /// Returns whether damage hides records, accepted or not.
    pub(super) fn has_holes(&self) -> bool {
        let accepted = &self.view().state.accepted_damage;
        !accepted.is_empty() || !self.state.health.damage.is_empty()
    }

    pub(crate) fn place_of(&self, seq: Seq) -> Option<RecordPosition> {
        self.state.fold.index.get(seq)
    }

    /// Returns whether the open turn waits for a point in time or for an answer, with nothing under way. The
    /// next daemon continues such a turn as if nothing had happened.
    pub(crate) fn is_waiting(&self) -> bool {
        let fold = &self.view().state;
        let turn = fold.turn.as_ref();
        let waits = |turn: &OpenTurn| {
            turn.waiting.is_some()
                && (turn.calls.is_empty() || (turn.is_parked() && turn.is_at_rest()))
        };
        turn.is_some_and(waits) || fold.is_asking()
    }
}
