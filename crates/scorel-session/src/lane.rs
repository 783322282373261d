//! The owner of one session.

mod commit;
mod damage;
mod load;
mod log;
mod mutate;
mod permission;
mod read;
mod running;
mod send;
mod stall;
mod state;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scorel_journal::{Blobs, Reader};
use scorel_proto::{EndReason, Phase, Session, SessionId, TurnId};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

pub(crate) use commit::Draft;
pub use damage::{DamagedPlace, unaccepted_damage};
pub(crate) use log::Log;
pub(crate) use read::encoded;
pub(crate) use running::{RunningTurn, TurnSlot};
pub use send::SendRequest;
pub(crate) use state::LaneState;

use crate::feed::Feed;
use crate::shared::Shared;
use crate::{SessionError, SessionHeader};

/// One session in memory: its log's writer, its folded state and its feed.
///
/// All changes go through its critical section: one at a time, in the order in which they were asked
/// for, on a thread that may wait for the disk. A section is synchronous and cannot be left half
/// way, whatever becomes of the caller.
#[derive(Debug)]
pub struct Lane {
    pub(crate) header: SessionHeader,
    pub(crate) dir: PathBuf,
    pub(crate) blobs: Blobs,
    pub(crate) reader: Reader,
    pub(crate) feed: Feed,
    pub(crate) turn: TurnSlot,
    /// Tells the turn that a request for permission was answered.
    pub(crate) answered: Notify,
    pub(crate) shared: Arc<Shared>,
    /// Whether reading came upon damage that loading did not see, because a checkpoint covers it or
    /// because it is new.
    unsound: AtomicBool,
    /// Whether that happened since the log was read from its beginning.
    look_due: AtomicBool,
    state: Arc<Mutex<LaneState>>,
}

impl Lane {
    pub(crate) fn new(
        header: SessionHeader,
        dir: PathBuf,
        state: LaneState,
        shared: Arc<Shared>,
    ) -> Self {
        let feed = Feed::new(state.log.last_seq(), shared.settings.ring_bytes);
        Self {
            blobs: shared.blobs(&dir),
            reader: state.log.reader(),
            feed,
            turn: TurnSlot::default(),
            answered: Notify::new(),
            dir,
            shared,
            // A checkpoint beside a log that can only be read is not ours to write.
            unsound: AtomicBool::new(header.problem().is_some()),
            look_due: AtomicBool::new(false),
            header,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// The session's id.
    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.header.session_id
    }

    /// The session's blobs. Reading and writing them blocks.
    #[must_use]
    pub const fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Whether anything may be written in the session's directory: a log of a newer version is
    /// only read.
    ///
    /// # Errors
    ///
    /// [`SessionError::Failed`] with the version of the log.
    pub fn check_writable(&self) -> Result<(), SessionError> {
        match self.header.problem() {
            None => Ok(()),
            Some(reason) => Err(SessionError::Failed {
                session_id: self.id(),
                reason,
            }),
        }
    }

    /// Runs `f` in the lane's critical section.
    ///
    /// The place in the line is taken when this is first polled. Once `f` has begun it runs to its
    /// end, also if the caller goes away.
    pub(crate) async fn section<R: Send + 'static>(
        self: &Arc<Self>,
        f: impl FnOnce(&Arc<Self>, &mut LaneState) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        let guard = self.lock().await;
        let lane = Arc::clone(self);
        let section = tokio::task::spawn_blocking(move || {
            let mut guard = guard;
            let guard = FailOnPanic { state: &mut guard };
            lane.look_again(guard.state);
            f(&lane, guard.state)
        });
        section
            .await
            .map_err(|error| SessionError::Internal(format!("a section failed: {error}")))
    }

    /// Whether everything that was read of the log was as it was written.
    pub(crate) fn is_sound(&self) -> bool {
        !self.unsound.load(Ordering::Acquire)
    }

    /// Whether the log must be read again, because reading came upon damage.
    fn must_look(&self) -> bool {
        self.look_due.load(Ordering::Acquire)
    }

    /// The lane's state, for work that does not wait for the disk.
    pub(crate) async fn lock(&self) -> OwnedMutexGuard<LaneState> {
        Arc::clone(&self.state).lock_owned().await
    }

    /// The state without waiting for it, if nobody else has it.
    pub(crate) fn try_lock(&self) -> Option<OwnedMutexGuard<LaneState>> {
        Arc::clone(&self.state).try_lock_owned().ok()
    }

    /// Describes the session.
    ///
    /// # Errors
    ///
    /// If the session is gone.
    pub async fn session(&self) -> Result<Session, SessionError> {
        let state = self.lock().await;
        state.check_exists()?;
        Ok(self.describe(&state))
    }

    /// What the session is doing, and which turn is open.
    pub async fn phase(&self) -> (Phase, Option<TurnId>) {
        let state = self.lock().await;
        (self.phase_of(&state), state.view.state.turn_id())
    }

    pub(crate) fn phase_of(&self, state: &LaneState) -> Phase {
        if state.failed.is_some() || !state.damage.is_empty() {
            Phase::Failed
        } else if state.view.state.turn.is_some() && self.turn.is_cancelling() {
            Phase::Cancelling
        } else {
            state.view.state.phase()
        }
    }

    pub(crate) fn describe(&self, state: &LaneState) -> Session {
        let mut session = self.header.describe(&state.view);
        session.phase = self.phase_of(state);
        session.turn_id = state.view.state.turn_id();
        session.current_seq = self.feed.head();
        session.problem = state.problem();
        session
    }

    /// Tells listings and those who follow the daemon that the session has changed.
    pub(crate) fn announce(&self, state: &LaneState) {
        // A late word about a session that is gone would bring it back into the listings.
        if state.deleted {
            return;
        }
        // What a newer version wrote is looked at again by every daemon, which may understand it.
        let known = self.header.problem().is_none().then(|| state.log.end());
        self.shared.session_changed(self.describe(state), known);
    }

    /// The session is deleted: nothing more is written or read, and subscribers are told.
    pub(crate) fn end(&self, state: &mut LaneState) {
        state.deleted = true;
        self.feed.end(EndReason::Deleted);
    }
}

/// A section that panics may leave the state between two steps; nothing is built on that.
struct FailOnPanic<'a> {
    state: &'a mut LaneState,
}

impl Drop for FailOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.state.failed = Some("a defect in the daemon; see its log".to_owned());
        }
    }
}
