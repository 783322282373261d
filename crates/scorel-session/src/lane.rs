//! The owner of one session.
//!
//! In: commands of clients, steps of the running turn, reads. Out: records in the log, events in
//! the feed, summaries for listings. Every change happens in a [`Section`]: one at a time, in the
//! order in which callers asked, so that the order of the log, of seqs and of what subscribers see
//! is one order.
//!
//! The fields of [`Lane`] and of its state are private to this module. Turns, restores, compactions and
//! the features of other crates change a session through [`Section`], [`Mutation`] and [`Job`], and learn of
//! changes as a [`SessionFeature`]; that keeps the invariants (append before fold, fold before publish) in
//! the few files below.
//!
//! ```text
//! mutate ─→ send, rewrite, move_leaf, append, update, respond, end_wait, accept, cancel, delete
//!    │                                                          a feature's mutations, jobs
//!    │      load ─→ recovery ─→ SessionFeature::recover                  │
//!    ↓        ↓        ↓                                                 ↓
//! queue, run ─────→ commit ─────────────────────────────────────────→ Section
//!                      └─→ fold, window, feed, SessionFeature::committed
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
mod api;
mod append;
mod append_message;
mod call_sizes;
mod cancel;
mod changes;
mod checkpointing;
mod commit;
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
mod interrupted_files;
mod job;
mod load;
mod log;
mod move_leaf;
mod mutate;
mod notice;
mod open_report;
mod opening_message;
mod oversize;
mod parts;
mod permission;
mod persist;
mod prepare;
mod published;
mod published_wait;
mod queue;
mod read;
mod read_kinds;
mod recovery;
mod respond;
mod rewrite;
mod run;
mod section;
mod send;
mod sizes;
mod soundness;
mod state;
mod travel;
mod update;
mod window;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use scorel_engine::{StopSignal, ToolOutcome};
use scorel_journal::{Blobs, Reader};
use scorel_proto::{Block, OpenCall, PersistentEvent, Seq, SessionId, SessionState, TurnId};
use tokio::sync::Notify;

pub use accept::DamageAcceptance;
pub use append::AppendData;
pub use append_message::AppendMessage;
pub use cancel::CancelAndClear;
pub use changes::LaneChanges;
pub(crate) use delete::{DeleteSession, MoveDirectoryAway};
pub use draft::EventDraft;
pub use end_wait::WaitEnd;
pub use forget_context::ContextRemoval;
pub(crate) use history::{LaneHistory, settings};
pub use job::JobName;
pub use move_leaf::{LeafTarget, MoveLeaf};
pub use mutate::Mutation;
pub use opening_message::OpeningMessage;
pub(crate) use oversize::make_fit;
pub use published::{PublishedLane, PublishedView};
pub(crate) use published_wait::PublishedWait;
pub(crate) use queue::encoded_len;
pub(crate) use read::{PAGE_BYTES, decoded, encoded, event_id, fitting};
pub use respond::PermissionResponse;
pub use rewrite::QueueRewrite;
pub use send::SendRequest;
pub use update::UpdateRequest;

use call_sizes::CallSizes;
use job::JobSlot;
use state::{LaneState, PublishedState};

use crate::feed::Feed;
use crate::locks::{Leaf, PublishedLock};
use crate::shared::LaneShared;
use crate::{SessionError, SessionHeader, SessionResources};

/// The parts that the host gives to the lanes of a daemon.
#[derive(Debug)]
pub(crate) struct LaneSeams {
    pub(crate) features: Vec<Arc<dyn SessionFeature>>,
    /// Makes the job of a turn whose first record is durable. The lane begins turns, the job uses the lane.
    pub(crate) turn_job: fn(TurnId) -> Box<dyn Job>,
}

/// Something that sessions do besides conversing: it has records of its own, or follows those of others.
///
/// Nothing of a feature survives a crash but its records: it folds them, or reads the fold of the view. The
/// session tells each feature of every record, in the order of the list that `Sessions::new` gets.
pub trait SessionFeature: fmt::Debug + Send + Sync {
    /// The session was loaded, and what a crash left open is closed.
    fn loaded(&self, _: SessionId) {}

    /// A record of the session is in the log, in its fold and before its subscribers. Called in the section
    /// that wrote it: it must return at once, and wait for no lane.
    fn committed(&self, _: &Section<'_>, _: &PersistentEvent) {}

    /// Returns whether the feature needs no daemon for the session: a session that is settled and at rest is loaded
    /// again only when a client asks for it.
    fn is_settled(&self, _: &SessionState) -> bool {
        true
    }

    /// Closes or continues what the last daemon left open. Called while the session is loaded, before a
    /// client sees it; again after a crash in between, or once a log that could not be written can be. An
    /// interrupted turn has no open calls and questions by now, and gets its outcome next.
    ///
    /// # Errors
    ///
    /// Those of commits. The session is not used until this succeeds.
    fn recover(&self, _: &mut Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// The words of a message that begins a turn, as the log and the model get them. Called in the section that records
    /// the message, before it.
    ///
    /// # Errors
    ///
    /// Those of commits. The turn does not begin then.
    fn worded(
        &self,
        _: &mut Section<'_>,
        content: Vec<Block>,
        _: OpeningMessage,
    ) -> Result<Vec<Block>, SessionError> {
        Ok(content)
    }

    /// A model call of a turn is about to be made, and what has room in its request is not looked at yet. Called for
    /// sessions that belong to a run, and again for a call that is repeated.
    ///
    /// # Errors
    ///
    /// Those of commits. It is repeated then.
    fn before_call(&self, _: &mut Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// The last turn has its outcome, and the next message of the queue has not begun one. Called in the section of the
    /// outcome, and when the session was loaded; again after a failure, so a step that was taken is not taken twice.
    ///
    /// # Errors
    ///
    /// Those of commits. It is repeated then.
    fn at_rest(&self, _: &mut Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// The outcome of a call that ended without a result, if a record of the feature says what it did.
    fn outcome_of(&self, _: &SessionState, _: &OpenCall) -> Option<ToolOutcome> {
        None
    }

    /// Ends what works for the session elsewhere: `cancel` with `children`.
    ///
    /// # Errors
    ///
    /// Those of commits. It is repeated then.
    fn stop(&self, _: &mut Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// Checks that the session may be deleted.
    ///
    /// # Errors
    ///
    /// The work that has to end first.
    fn check_delete(&self, _: &SessionState) -> Result<(), SessionError> {
        Ok(())
    }

    /// The session was deleted. Called after its last record, in no section.
    fn removed(&self, _: SessionId) {}
}

/// Work that keeps a session busy until its end is recorded. A session has at most one job at a time.
///
/// [`Section::begin_job`] runs it, after the record that says what there is to do ([`Section::commit_first`]): a
/// job has no state that the next daemon could not read from the log.
pub trait Job: fmt::Debug + Send {
    fn name(&self) -> JobName;

    /// Does the work, in a task of its own, and records its end with [`Section::close_job`]. If there can be
    /// no record, [`Lane::abandon_job`]. It ends soon after `stop` fires.
    fn run(self: Box<Self>, lane: Arc<Lane>, stop: StopSignal) -> BoxFuture<'static, ()>;
}

/// The lane's critical section: exclusive access to the state, with the lane.
///
/// Only [`Lane::section`] and what is built on it make one. Everything in it is synchronous. A section that
/// has begun runs to its end even if its caller is dropped, so a closed connection never leaves a change half
/// made.
#[derive(Debug)]
pub struct Section<'a> {
    lane: &'a Arc<Lane>,
    state: &'a mut LaneState,
}

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
    /// The reason why the session's job makes no progress, if no event tells of it. A leaf lock, and not part of the
    /// published state: that is written by sections only, and a wait may end outside of one.
    waits: Leaf<Option<String>>,
    /// The summary that the context began with at the latest call that hooks have seen, zero without one; `None` if
    /// there was no such call since the session was loaded.
    shown_summary: Leaf<Option<Seq>>,
    /// Wakes the turn after a permission decision, or the end of its wait, is durable.
    answered: Notify,
    /// Wakes the turn of a runner after a message was queued.
    queued: Notify,
    /// Wakes those who wait for a job to end.
    job_ended: Notify,
    shared: Arc<LaneShared>,
    seams: Arc<LaneSeams>,
    resources: OnceLock<Arc<dyn SessionResources>>,
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
        seams: Arc<LaneSeams>,
    ) -> Self {
        let feed = Feed::new(state.log.last_seq(), shared.settings.ring_bytes);
        Self {
            blobs: shared.blobs(&dir),
            reader: state.log.reader(),
            feed,
            job: JobSlot::default(),
            sizes: Leaf::default(),
            waits: Leaf::default(),
            shown_summary: Leaf::default(),
            answered: Notify::new(),
            queued: Notify::new(),
            job_ended: Notify::new(),
            dir,
            shared,
            seams,
            resources: OnceLock::new(),
            // The checkpoint beside a log of a newer version belongs to that version.
            unsound: AtomicBool::new(header.problem().is_some()),
            reread_due: AtomicBool::new(false),
            header,
            published: PublishedLock::new(published),
            state: Arc::new(tokio::sync::Mutex::new(state)),
        }
    }
}
