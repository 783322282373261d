//! The pool of runner processes: it limits how many there are, and keeps idle ones for the next turn of
//! their session.
//!
//! In: a turn that wants to run ([`RunnerPool::admit`]), a link whose turn is over
//! ([`RunnerPool::keep`]). Out: that link again for the next turn, unless its time is up, its place is
//! needed, or its process said something meanwhile.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{RunnerEvent, RunnerLink};
use scorel_proto::SessionId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::task::TaskTracker;

use crate::locks::Leaf;

/// Processes of runners at a time. One takes some 200 MB, so that this is what a usual machine has room
/// for; a turn beyond waits.
pub(crate) const MAX_PROCESSES: usize = 16;

/// How many of them may be idle.
const MAX_KEPT: usize = 4;

/// Bytes that an idle process may write, with [`NOTE`] for each note. One that never pauses would keep a
/// processor busy for as long as it is kept.
const MAX_NOTES: usize = 1024 * 1024;

const NOTE: usize = 64;

/// The places for processes of runners, and the processes that are kept.
#[derive(Debug)]
pub(crate) struct RunnerPool {
    places: Arc<Semaphore>,
    kept: Leaf<KeptProcesses>,
}

#[derive(Debug, Default)]
struct KeptProcesses {
    by_session: HashMap<SessionId, KeptProcess>,
    /// Counts up, so that the oldest can be told.
    next: u64,
    /// Turns without a place. While there are any, no process is kept.
    waiting: usize,
    /// The daemon stops, and waits for the tasks that watch: a turn that ends now leaves nothing.
    is_closed: bool,
}

/// A process that a task watches. Dropping it ends the process.
#[derive(Debug)]
struct KeptProcess {
    key: LinkKey,
    number: u64,
    wanted: oneshot::Sender<oneshot::Sender<PooledLink>>,
}

/// A kept link is reused only by a turn with an equal key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkKey {
    pub(crate) runner: String,
    /// The context that it is in.
    pub(crate) context: String,
    pub(crate) settings_hash: u64,
}

/// The right to one process.
#[derive(Debug)]
pub(crate) struct ProcessPermit(
    #[expect(dead_code, reason = "held for its drop")] OwnedSemaphorePermit,
);

/// A link with the place of its process.
pub(crate) struct PooledLink {
    pub(crate) link: Box<dyn RunnerLink>,
    pub(crate) place: ProcessPermit,
}

impl fmt::Debug for PooledLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PooledLink")
    }
}

impl RunnerPool {
    pub(crate) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(MAX_PROCESSES)),
            kept: Leaf::default(),
        }
    }

    /// A place for one process, if one is free.
    pub(crate) fn free_place(&self) -> Option<ProcessPermit> {
        let permit = Arc::clone(&self.places).try_acquire_owned();
        permit.ok().map(ProcessPermit)
    }

    /// A permit for one process. Waits while all are in use; idle processes are ended to make room.
    pub(crate) async fn admit(&self) -> ProcessPermit {
        if let Some(place) = self.free_place() {
            return place;
        }
        let _waiting = WaitingTurn::begin(self);
        let permit = Arc::clone(&self.places).acquire_owned().await;
        ProcessPermit(permit.expect("the semaphore is never closed"))
    }

    /// The session's kept link, if it is what the turn wants; another one ends.
    pub(crate) async fn take(&self, session: SessionId, key: &LinkKey) -> Option<PooledLink> {
        let kept = self.kept.lock().by_session.remove(&session)?;
        if kept.key != *key {
            return None;
        }
        let (reply, link) = oneshot::channel();
        kept.wanted.send(reply).ok()?;
        link.await.ok()
    }

    /// Keeps a link for the session's next turn, for `time` at most.
    pub(crate) fn keep(
        &self,
        tasks: &TaskTracker,
        session: SessionId,
        key: LinkKey,
        link: PooledLink,
        time: Duration,
    ) {
        let (wanted, asked) = oneshot::channel();
        tasks.spawn(watch(link, asked, time));
        self.kept.lock().insert(session, key, wanted);
    }

    /// Ends the session's kept process.
    pub(crate) fn end(&self, session: SessionId) {
        self.kept.lock().by_session.remove(&session);
    }

    /// Ends the session's kept process if it is this runner's.
    pub(crate) fn end_of(&self, session: SessionId, runner: &str) {
        let mut kept = self.kept.lock();
        let is_its = |kept: &KeptProcess| kept.key.runner == runner;
        if kept.by_session.get(&session).is_some_and(is_its) {
            kept.by_session.remove(&session);
        }
    }

    /// Ends all that is kept, and what would be kept from now on: the daemon stops.
    pub(crate) fn close(&self) {
        let mut kept = self.kept.lock();
        kept.is_closed = true;
        kept.by_session.clear();
    }
}

/// A turn is counted while it waits for a place, however that ends.
struct WaitingTurn<'a>(&'a RunnerPool);

impl<'a> WaitingTurn<'a> {
    fn begin(pool: &'a RunnerPool) -> Self {
        let mut kept = pool.kept.lock();
        kept.waiting += 1;
        kept.end_oldest();
        drop(kept);
        Self(pool)
    }
}

impl Drop for WaitingTurn<'_> {
    fn drop(&mut self) {
        self.0.kept.lock().waiting -= 1;
    }
}

impl KeptProcesses {
    fn insert(
        &mut self,
        session: SessionId,
        key: LinkKey,
        wanted: oneshot::Sender<oneshot::Sender<PooledLink>>,
    ) {
        if self.is_closed || self.waiting > 0 {
            return;
        }
        // Those that ended by themselves.
        self.by_session.retain(|_, kept| !kept.wanted.is_closed());
        let number = self.next;
        self.next += 1;
        let process = KeptProcess {
            key,
            number,
            wanted,
        };
        self.by_session.insert(session, process);
        if self.by_session.len() > MAX_KEPT {
            self.end_oldest();
        }
    }

    fn end_oldest(&mut self) {
        let oldest = self.by_session.iter().min_by_key(|(_, kept)| kept.number);
        if let Some(session) = oldest.map(|(session, _)| *session) {
            self.by_session.remove(&session);
        }
    }
}

/// Waits for the next turn, or for a reason to end the process. One that does more than tell a note has
/// had its context changed from elsewhere.
async fn watch(
    mut placed: PooledLink,
    mut asked: oneshot::Receiver<oneshot::Sender<PooledLink>>,
    time: Duration,
) {
    let time_up = tokio::time::sleep(time);
    tokio::pin!(time_up);
    let mut noted = 0;
    loop {
        tokio::select! {
            biased;
            reply = &mut asked => {
                if let Ok(reply) = reply {
                    match reply.send(placed) {
                        Ok(()) => return,
                        // The turn was dropped meanwhile.
                        Err(unused) => placed = unused,
                    }
                }
                break;
            }
            () = &mut time_up => break,
            event = placed.link.next() => match event {
                Ok(RunnerEvent::Log { text, .. }) => noted += NOTE + text.len(),
                Ok(RunnerEvent::Progress) => noted += NOTE,
                _ => break,
            },
        }
        if noted > MAX_NOTES {
            break;
        }
    }
    placed.link.release().await;
}

#[cfg(test)]
mod tests;
