//! The owner of one session.
//!
//! In: commands of clients, steps of the running turn, reads. Out: records in the log, events in
//! the feed, summaries for listings. Every change happens in a [`Section`]: one at a time, in the
//! order in which callers asked, so that the order of the log, of seqs and of what subscribers see
//! is one order.
//!
//! The fields of [`Lane`] and of its state are private to this module. Turns, resync and
//! housekeeping use the methods; that keeps the invariants (append before fold, fold before
//! publish) in the few files below.
//!
//! ```text
//! api ─→ mutate ─→ send, rewrite, move_leaf, begin_restore, append, update, respond,
//!                      │  end_wait, accept, cancel, delete
//!                      │      load ─→ recovery
//!                      ↓        ↓        ↓
//!                 queue ─→ commit ─→ section ─→ Lane, LaneState
//! ```
//!
//! Locks, in the order in which they may be taken: lane state, then published state, then any one `Leaf`
//! (job slot, feed, active list, catalogue, host feed, window pool, usage, sizes, wait reason). No lane is
//! locked while another is held. `locks` checks all of that but the lane state. The lane state is held while
//! the disk works, the published state never: reads take that one alone.
//!
//! A future that may wait for the lane state is polled or dropped while its task awaits another one: the
//! lock goes to the next in the queue, also to one that is not polled, and is then held for ever.

mod accept;
mod agent_tasks;
mod api;
mod append;
mod append_message;
mod begin_restore;
mod call_sizes;
mod cancel;
mod checkpointing;
mod commit;
mod compact;
mod compaction_record;
mod delete;
mod descriptors;
mod draft;
mod end_wait;
mod fold;
mod forget_context;
mod garbage;
mod health;
mod history;
#[cfg(test)]
mod inspect;
mod instructions;
mod job;
mod load;
mod log;
mod move_leaf;
mod mutate;
mod notice;
mod open_report;
mod oversize;
mod permission;
mod persist;
pub(crate) mod phase;
mod prepare;
mod previews;
mod published;
mod published_wait;
mod queue;
mod read;
mod recovery;
mod respond;
mod restore;
mod restore_plan;
mod rewrite;
mod run;
mod section;
mod send;
mod sizes;
mod state;
mod travel;
mod turn_summary;
mod update;
mod wait_reason;
mod window;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use scorel_journal::{Blobs, Reader};
use scorel_proto::{EndReason, Seq, SessionId};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};
use tokio_util::task::TaskTracker;

pub use agent_tasks::{
    AgentTaskChange, AgentTaskEnding, AgentTaskPlaces, ChildState, LaneChanges, RunReport,
    SpawnLimits, SpawnRequest, SpawnTarget,
};
pub use begin_restore::{BegunRestore, RestoreChoice, RestorePoint};
pub(crate) use compact::CompactRequest;
pub(crate) use compaction_record::CompactionResult;
pub(crate) use delete::MoveDirectoryAway;
pub(crate) use draft::EventDraft;
pub(crate) use history::{LaneHistory, settings};
pub(crate) use job::{Job, RunningJob};
pub use move_leaf::LeafTarget;
pub(crate) use oversize::make_fit;
pub(crate) use published::PublishedLane;
pub(crate) use published_wait::PublishedWait;
pub(crate) use read::encoded;
pub(crate) use section::Section;
pub use send::SendRequest;

use call_sizes::CallSizes;
use job::JobSlot;
use state::{LaneState, PublishedState};
use wait_reason::WaitReason;

use crate::feed::{Feed, FeedBatch, FeedHead, FellBehind};
use crate::locks::{Leaf, PublishedLock};
use crate::runner_pool::RunnerPool;
use crate::shared::LaneShared;
use crate::{SessionError, SessionHeader, TurnSetup, blocking};

/// Spawns the task of a job whose first record is durable.
///
/// A function pointer, because the task uses the lane: a direct call would make lane and turn depend
/// on each other.
pub(crate) type StartJob = fn(Arc<Lane>, RunningJob);

/// One loaded session: the log's only writer, the folded state and the feed.
#[derive(Debug)]
pub struct Lane {
    header: SessionHeader,
    dir: PathBuf,
    blobs: Blobs,
    reader: Reader,
    feed: Feed,
    job: JobSlot,
    sizes: Leaf<CallSizes>,
    waits: WaitReason,
    /// Wakes the turn after a permission decision, or the end of its wait, is durable.
    answered: Notify,
    /// Wakes the turn of a runner after a message was queued.
    queued: Notify,
    /// Wakes those who wait for a restore of files to end.
    restored: Notify,
    shared: Arc<LaneShared>,
    start_job: StartJob,
    /// A read found damage that loading did not see: a checkpoint hid it, or it is new. From then
    /// on no checkpoint is written, since it would hide the damage from the next load as well.
    unsound: AtomicBool,
    /// Damage was found since the log was last read from its start.
    reread_due: AtomicBool,
    published: PublishedLock<PublishedState>,
    state: Arc<tokio::sync::Mutex<LaneState>>,
}

impl Lane {
    fn new(
        header: SessionHeader,
        dir: PathBuf,
        (state, published): (LaneState, PublishedState),
        shared: Arc<LaneShared>,
        start_job: StartJob,
    ) -> Self {
        let feed = Feed::new(state.log.last_seq(), shared.settings.ring_bytes);
        Self {
            blobs: shared.blobs(&dir),
            reader: state.log.reader(),
            feed,
            job: JobSlot::default(),
            sizes: Leaf::default(),
            waits: WaitReason::default(),
            answered: Notify::new(),
            queued: Notify::new(),
            restored: Notify::new(),
            dir,
            shared,
            start_job,
            // The checkpoint beside a log of a newer version belongs to that version.
            unsound: AtomicBool::new(header.problem().is_some()),
            reread_due: AtomicBool::new(false),
            header,
            published: PublishedLock::new(published),
            state: Arc::new(tokio::sync::Mutex::new(state)),
        }
    }

    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.header.session_id
    }

    /// The session's blobs. Their methods block on the disk.
    #[must_use]
    pub const fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Fails for a log of a newer version: nothing may be written into such a session's directory.
    ///
    /// # Errors
    ///
    /// [`SessionError::Failed`], naming the version.
    pub fn check_writable(&self) -> Result<(), SessionError> {
        match self.header.problem() {
            None => Ok(()),
            Some(reason) => Err(SessionError::Failed {
                session_id: self.id(),
                reason,
            }),
        }
    }

    /// Whether the session can be changed: it is not deleted, damaged or failed, and recovery has run.
    #[must_use]
    pub fn can_change(&self) -> bool {
        self.check_writable().is_ok() && self.published().state().health.check_usable().is_ok()
    }

    pub(crate) fn setup(&self) -> Arc<dyn TurnSetup> {
        Arc::clone(&self.shared.setup)
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.shared.is_draining()
    }

    /// Tracks the tasks that must end before the daemon does.
    pub(crate) fn tasks(&self) -> &TaskTracker {
        &self.shared.tasks
    }

    pub(crate) const fn header(&self) -> &SessionHeader {
        &self.header
    }

    /// The wall clock, in milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> u64 {
        self.shared.settings.wall_clock.now_ms()
    }

    /// The moment after a delay from now, in milliseconds since 1970.
    pub(crate) fn moment_after(&self, delay: Duration) -> u64 {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.now_ms().saturating_add(delay)
    }

    /// What all calls of today cost, in millionths of a US dollar.
    pub(crate) async fn day_micro_usd(&self) -> Result<u64, SessionError> {
        let (shared, now) = (Arc::clone(&self.shared), self.now_ms());
        blocking(move || shared.usage.day_micro_usd(now)).await?
    }

    /// Completes after the next permission decision, or the end of a wait.
    pub(crate) fn answered(&self) -> Notified<'_> {
        self.answered.notified()
    }

    /// Completes after the next change of the queue.
    pub(crate) fn queued(&self) -> Notified<'_> {
        self.queued.notified()
    }

    /// The processes of runners.
    pub(crate) fn runners(&self) -> &RunnerPool {
        &self.shared.runners
    }
}

/// The running job, as seen from outside a section.
impl Lane {
    pub(crate) fn has_job(&self) -> bool {
        self.job.is_running()
    }

    /// Gives up the job without an outcome: the next daemon continues it, or the log is lost.
    pub(crate) fn abandon_job(&self) {
        self.job.end();
        self.shared.windows.job_ends(self.id());
        self.restored.notify_waiters();
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

/// The feed, for subscribers. Only the commit path publishes.
impl Lane {
    pub(crate) fn watch_head(&self) -> watch::Receiver<FeedHead> {
        self.feed.watch()
    }

    /// The seq of the last published event.
    pub(crate) fn head(&self) -> Seq {
        self.feed.head()
    }

    /// Events after `seq` from the ring: about `max_bytes` of them, at least one if there is one.
    pub(crate) fn recent(&self, seq: Seq, max_bytes: usize) -> Result<FeedBatch, FellBehind> {
        self.feed.after(seq, max_bytes)
    }

    /// Drops everything from the ring but the last event.
    pub(crate) fn shrink_ring(&self) {
        self.feed.shrink();
    }

    /// Tells subscribers that nothing follows.
    pub(crate) fn end_feed(&self, reason: EndReason) {
        self.feed.end(reason);
    }
}

/// Damage that was found while reading.
impl Lane {
    fn is_sound(&self) -> bool {
        !self.unsound.load(Ordering::Acquire)
    }

    /// Requests a reread. Returns whether this is the first damage since loading.
    fn mark_unsound(&self) -> bool {
        self.reread_due.store(true, Ordering::Release);
        !self.unsound.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_reread_due(&self) -> bool {
        self.reread_due.load(Ordering::Acquire)
    }

    /// To be called before the log is read again, so that damage found meanwhile requests another
    /// reread.
    fn reread_begins(&self) {
        self.reread_due.store(false, Ordering::Release);
    }
}
