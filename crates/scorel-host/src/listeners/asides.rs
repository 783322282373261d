use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use futures_util::future::BoxFuture;
use scorel_orchestrator::Orchestrator;
use scorel_proto::SessionId;
use scorel_session::SessionError;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::word::Word;

/// The most that run at once, of all sessions.
const RUNNING: usize = 4;

/// Work that waits besides.
const WAITING: usize = 64;

/// Work of hooks that nothing waits for: listeners, and commands that are to run on their own.
#[derive(Debug)]
pub struct Asides {
    /// Has the sessions, which own what uses this. They are opened after it is made.
    orchestrator: OnceLock<Weak<Orchestrator>>,
    /// Has a place for all that runs or waits.
    room: Arc<Semaphore>,
    places: Arc<Semaphore>,
    dropped: AtomicU64,
    /// Ends what runs for a session; work shares the entry, which is there as long as some does.
    stops: Mutex<HashMap<SessionId, Arc<CancellationToken>>>,
}

impl Asides {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            orchestrator: OnceLock::new(),
            room: Arc::new(Semaphore::new(RUNNING + WAITING)),
            places: Arc::new(Semaphore::new(RUNNING)),
            dropped: AtomicU64::new(0),
            stops: Mutex::default(),
        })
    }

    /// Words of hooks go to the sessions of this one.
    pub(crate) fn tell_sessions_of(&self, orchestrator: &Weak<Orchestrator>) {
        self.orchestrator.get_or_init(|| Weak::clone(orchestrator));
    }

    /// Has `work` done in its turn, and tells the session's model what it returns, in the name of `hook`. Dropped
    /// if too much waits. A cancel of the session's turn ends it.
    pub fn run(
        self: &Arc<Self>,
        session_id: SessionId,
        hook: &str,
        work: BoxFuture<'static, Option<String>>,
    ) {
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
            tracing::warn!(session = %session_id, hook, dropped, "too much waits: an event is dropped");
            return;
        };
        let stop = Arc::clone(self.stops().entry(session_id).or_default());
        let (asides, hook) = (Arc::clone(self), hook.to_owned());
        tokio::spawn(async move {
            let _room = room;
            let done = async {
                let _place = asides.places.acquire().await;
                work.await
            };
            let word = tokio::select! {
                biased;
                () = stop.cancelled() => None,
                word = done => word,
            };
            if let Some(text) = word
                && let Err(error) = asides.tell(session_id, &hook, &text).await
            {
                tracing::warn!(session = %session_id, hook, %error, "the model is not told what a hook says");
            }
            asides.ended(session_id, stop);
        });
    }

    /// Forgets the session with the last of its work.
    fn ended(&self, session_id: SessionId, stop: Arc<CancellationToken>) {
        let mut stops = self.stops();
        drop(stop);
        if let Entry::Occupied(kept) = stops.entry(session_id)
            && Arc::strong_count(kept.get()) == 1
        {
            kept.remove();
        }
    }

    /// Ends what runs for the session.
    pub fn cancel(&self, session_id: SessionId) {
        if let Some(stop) = self.stops().remove(&session_id) {
            stop.cancel();
        }
    }

    /// The number of events and commands that were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    pub(super) fn missed(&self, session_id: SessionId) {
        let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(session = %session_id, dropped, "listeners have missed events");
    }

    async fn tell(&self, id: SessionId, hook: &str, text: &str) -> Result<(), SessionError> {
        let Some(orchestrator) = self.orchestrator.get().and_then(Weak::upgrade) else {
            return Ok(());
        };
        let lane = orchestrator.sessions().get(id).await?;
        lane.mutate(Word::new(hook, text)).await
    }

    fn stops(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<CancellationToken>>> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn four_run_sixty_four_wait_and_a_cancel_ends_those_of_a_session() {
        let asides = Asides::new();
        let (stuck, other) = (SessionId::generate(), SessionId::generate());
        for _ in 0..RUNNING {
            asides.run(stuck, "stuck", Box::pin(pending()));
        }
        let mut waiting = Vec::new();
        for _ in 0..WAITING {
            let (sender, receiver) = oneshot::channel();
            waiting.push(receiver);
            let done = async move {
                let _open = sender.send(());
                None
            };
            asides.run(other, "waits", Box::pin(done));
        }
        asides.run(other, "dropped", Box::pin(pending()));
        assert_eq!(asides.dropped(), 1);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let done = |it: &mut oneshot::Receiver<()>| it.try_recv().is_ok();
        assert!(!waiting.iter_mut().any(done), "all places are taken");
        asides.cancel(stuck);
        for receiver in waiting {
            receiver.await.expect("it runs");
        }
        let all = u32::try_from(RUNNING + WAITING).unwrap();
        let _all_have_ended = asides.room.acquire_many(all).await.unwrap();
        assert!(
            asides.stops().is_empty(),
            "sessions whose work has ended are forgotten"
        );
    }
}
